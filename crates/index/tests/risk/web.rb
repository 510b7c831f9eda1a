def ping
  # expect params->system
  host = params[:host]
  system("ping #{host}")
end

def ping_quoted
  # expect nothing
  host = Shellwords.escape(params[:host])
  system("ping #{host}")
end

def ping_fixed
  # expect nothing
  system("ping localhost")
end

def find
  # expect params->where-text
  User.where("name = '#{params[:name]}'")
end

def find_bound
  # expect nothing
  User.where("name = ?", params[:name])
end

def find_hash
  # expect nothing
  User.where(name: params[:name])
end

def find_sql
  # expect params->where
  name = params[:name]
  User.find_by_sql("SELECT * FROM users WHERE name = '#{name}'")
end

def restore
  # expect params->Marshal.load
  Marshal.load(params[:state])
end

def read
  # expect params->File.open
  File.read("/srv/#{params[:file]}")
end

def read_named
  # expect nothing
  File.read("/srv/#{File.basename(params[:file])}")
end

def leave
  # expect params->redirect_to
  redirect_to params[:next]
end

def number
  # expect nothing
  id = params[:id].to_i
  User.find_by_sql("SELECT * FROM users WHERE id = #{id}")
end
