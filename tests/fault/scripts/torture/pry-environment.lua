-- perilune-api: 1
-- ends: error
return {
  name = 'pry-environment',
  description = 'One hostile call.',
  on = 'turn_end',
  observe = function(turn, ctx)
    getfenv(0).io.open('/etc/hostname')
  end,
}
