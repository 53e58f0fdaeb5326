# Certificates of this computer that expire soon. First argument: days (30).
param([int]$Days = 30)
$soon = Get-ChildItem Cert:\LocalMachine\My | Where-Object { $_.NotAfter -lt (Get-Date).AddDays($Days) }
if (@($soon).Count -eq 0) { "None expires within $Days days."; exit 0 }
$soon | Select-Object Subject, NotAfter, Thumbprint | Format-Table -Wrap
exit 1
