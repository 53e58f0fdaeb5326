# Who signed in at this machine or from afar. First argument: how many (20).
param([int]$Count = 20)
Get-WinEvent -FilterHashtable @{ LogName = 'Security'; Id = 4624 } -MaxEvents 2000 -ErrorAction SilentlyContinue |
    Where-Object { $_.Properties[8].Value -in 2, 7, 10, 11 } |
    Select-Object -First $Count TimeCreated, @{ Name = 'User'; Expression = { $_.Properties[5].Value } }, @{ Name = 'From'; Expression = { $_.Properties[18].Value } } |
    Format-Table -AutoSize
exit 0
