//! Who is at the other end of a socket, and whether the daemon may work for them.

use std::os::unix::net::UnixStream;

/// Why a process is not served.
pub fn refusal(stream: &UnixStream) -> Option<&'static str> {
    #[cfg(target_os = "linux")]
    {
        let Ok(peer) = rustix::net::sockopt::socket_peercred(stream) else {
            return Some("the daemon cannot tell who asks");
        };
        if peer.uid != rustix::process::getuid() {
            return Some("the daemon belongs to another user");
        }
        // The daemon would open files and start programs that the client itself may be kept from.
        let theirs = confinement(&peer.pid.to_string());
        if theirs.is_none() || theirs != confinement("self") {
            return Some("the client is confined in another way than the daemon");
        }
    }
    // Elsewhere the folder of the socket, which only its owner can enter, has to do.
    #[cfg(not(target_os = "linux"))]
    let _ = stream;
    None
}

/// The process number of the other end, for people.
pub fn pid(stream: &UnixStream) -> Option<i32> {
    #[cfg(target_os = "linux")]
    return rustix::net::sockopt::socket_peercred(stream).ok().map(|peer| peer.pid.as_raw_nonzero().get());
    #[cfg(not(target_os = "linux"))]
    {
        let _ = stream;
        None
    }
}

/// What a process may see and do: namespaces, root folder, groups, capabilities, system call filters.
#[cfg(target_os = "linux")]
fn confinement(process: &str) -> Option<Vec<String>> {
    let link = |name: &str| {
        let target = std::fs::read_link(format!("/proc/{process}/{name}")).ok()?;
        Some(target.to_string_lossy().into_owned())
    };
    let mut facts: Vec<String> = ["root", "ns/mnt", "ns/net", "ns/pid", "ns/user"]
        .iter()
        .map(|name| link(name))
        .collect::<Option<_>>()?;
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    const ROWS: [&str; 7] = ["Uid:", "Gid:", "Groups:", "CapEff:", "CapBnd:", "NoNewPrivs:", "Seccomp:"];
    facts.extend(
        status.lines().filter(|line| ROWS.iter().any(|row| line.starts_with(row))).map(str::to_owned),
    );
    Some(facts)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn we_may_be_served_and_a_missing_process_may_not() {
        let (here, _there) = UnixStream::pair().unwrap();
        assert_eq!(refusal(&here), None);
        assert_eq!(pid(&here), i32::try_from(std::process::id()).ok());
        assert_eq!(confinement("0"), None);
    }
}
