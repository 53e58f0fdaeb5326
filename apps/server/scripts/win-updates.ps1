# Updates that Windows has found and not installed. Nothing is installed.
$session = New-Object -ComObject Microsoft.Update.Session
$found = $session.CreateUpdateSearcher().Search('IsInstalled=0 and IsHidden=0').Updates
"$($found.Count) updates are pending."
"metric pending_updates=$($found.Count) updates"
foreach ($update in $found) { '{0,-10} {1}' -f $update.MsrcSeverity, $update.Title }
if ($found.Count -gt 0) { exit 1 }
exit 0
