# Services that start by themselves and do not run.
$stopped = Get-CimInstance Win32_Service | Where-Object { $_.StartMode -eq 'Auto' -and $_.State -ne 'Running' -and $_.ExitCode -ne 0 }
if (@($stopped).Count -eq 0) { 'All of them run.'; exit 0 }
$stopped | Select-Object Name, DisplayName, State, ExitCode | Format-Table -AutoSize
exit 1
