name: yes
on: agent_settled
enabled: True # comment
x
