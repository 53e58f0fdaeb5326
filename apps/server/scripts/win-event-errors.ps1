# Errors of the system and application logs, the most frequent first. Arguments: hours (24), how many lines (20).
param([int]$Hours = 24, [int]$Count = 20)
$since = (Get-Date).AddHours(-$Hours)
Get-WinEvent -FilterHashtable @{ LogName = 'System', 'Application'; Level = 1, 2; StartTime = $since } -ErrorAction SilentlyContinue |
    Group-Object ProviderName, Id |
    Sort-Object Count -Descending |
    Select-Object -First $Count Count, Name, @{ Name = 'Message'; Expression = { ($_.Group[0].Message -split "`n")[0] } } |
    Format-Table -Wrap
exit 0
