//! NDCG@10, MRR@10 and recall@10 by file, and how sure a difference is.

const DEPTH: usize = 10;

fn gain(grade: u32) -> f64 {
    f64::from((1u32 << grade) - 1)
}

fn grade(path: &str, relevant: &[(String, u32)]) -> u32 {
    relevant.iter().find(|(known, _)| known == path).map_or(0, |(_, grade)| *grade)
}

fn discounted(grades: impl Iterator<Item = u32>) -> f64 {
    grades.take(DEPTH).enumerate().map(|(at, grade)| gain(grade) / (at as f64 + 2.0).log2()).sum()
}

pub fn ndcg(files: &[String], relevant: &[(String, u32)]) -> f64 {
    let mut best: Vec<u32> = relevant.iter().map(|(_, grade)| *grade).collect();
    best.sort_unstable_by(|left, right| right.cmp(left));
    discounted(files.iter().map(|path| grade(path, relevant))) / discounted(best.into_iter())
}

/// One over the rank of the first file that was asked for.
pub fn mrr(files: &[String], relevant: &[(String, u32)]) -> f64 {
    let at = files.iter().take(DEPTH).position(|path| grade(path, relevant) == 2);
    at.map_or(0.0, |at| 1.0 / (at as f64 + 1.0))
}

/// How many of the files that were asked for are among the first ten.
pub fn recall(files: &[String], relevant: &[(String, u32)]) -> f64 {
    let asked = relevant.iter().filter(|(_, grade)| *grade == 2).count();
    let found = files.iter().take(DEPTH).filter(|path| grade(path, relevant) == 2).count();
    found as f64 / asked.clamp(1, DEPTH) as f64
}

pub fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for value in values {
        sum += value;
        count += 1.0;
    }
    if count == 0.0 { 0.0 } else { sum / count }
}

/// Mean and 95 % interval of paired differences; repositories are drawn, since their queries are alike.
pub fn bootstrap_by_group(differences: &[(&str, f64)]) -> (f64, f64, f64) {
    let mut groups: Vec<(&str, f64, f64)> = Vec::new();
    for (name, value) in differences {
        match groups.iter_mut().find(|(known, ..)| known == name) {
            Some((_, sum, count)) => {
                *sum += value;
                *count += 1.0;
            }
            None => groups.push((name, *value, 1.0)),
        }
    }
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut means: Vec<f64> = (0..10_000)
        .map(|_| {
            let (sum, count) = (0..groups.len()).fold((0.0, 0.0), |(sum, count), _| {
                let (_, more, weight) = groups[next() as usize % groups.len()];
                (sum + more, count + weight)
            });
            sum / count
        })
        .collect();
    means.sort_unstable_by(f64::total_cmp);
    (mean(differences.iter().map(|(_, value)| *value)), means[250], means[9_749])
}
