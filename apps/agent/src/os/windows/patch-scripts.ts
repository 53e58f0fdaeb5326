/** Software only, without drivers and hidden updates. */
const SEARCH = "IsInstalled=0 and IsHidden=0 and Type='Software'"

const BEGIN = [
  '[Console]::OutputEncoding = [Text.Encoding]::UTF8',
  "$ErrorActionPreference = 'Stop'",
  '$session = New-Object -ComObject Microsoft.Update.Session',
  `$found = $session.CreateUpdateSearcher().Search("${SEARCH}").Updates`,
]

/** Prints the updates that Windows Update offers as a JSON list. */
export const SCAN_SCRIPT = [
  ...BEGIN,
  `$list = @($found | ForEach-Object { @{
    guid = $_.Identity.UpdateID; title = $_.Title; description = $_.Description; severity = $_.MsrcSeverity
    categories = @($_.Categories | ForEach-Object { $_.Name }); kbs = @($_.KBArticleIDs); urls = @($_.MoreInfoUrls)
    size = [double]$_.MaxDownloadSize; downloaded = $_.IsDownloaded
    reboot = ($_.InstallationBehavior.RebootBehavior -ne 0)
  } })`,
  'ConvertTo-Json -Compress -Depth 4 -InputObject $list',
].join('\n')

/**
 * Downloads and installs the updates in MUSTER_PATCHES, or all, one after the other. A failure does not stop the
 * others; the last line counts the failures.
 */
export const INSTALL_SCRIPT = [
  ...BEGIN,
  "$wanted = @($env:MUSTER_PATCHES -split ' ' | Where-Object { $_ })",
  '$chosen = @($found | Where-Object { $wanted.Count -eq 0 -or $wanted -contains $_.Identity.UpdateID })',
  "if ($chosen.Count -eq 0) { 'None of these updates is available any more.'; exit 1 }",
  '$failed = @(); $number = 0',
  `foreach ($update in $chosen) {
    "Progress: $([math]::Floor(100 * $number / $chosen.Count)) %"
    $number += 1
    "[$number of $($chosen.Count)] $($update.Title)"
    if (-not $update.EulaAccepted) { $update.AcceptEula() }
    $one = New-Object -ComObject Microsoft.Update.UpdateColl
    [void]$one.Add($update)
    try {
      if (-not $update.IsDownloaded) {
        $downloader = $session.CreateUpdateDownloader(); $downloader.Updates = $one; [void]$downloader.Download()
      }
      $installer = $session.CreateUpdateInstaller(); $installer.Updates = $one
      $result = $installer.Install()
      if ($result.ResultCode -ne 2) {
        $failed += ('{0}: 0x{1:X8}' -f $update.Title, $result.GetUpdateResult(0).HResult)
      } elseif ($result.RebootRequired) { 'Restart the machine to finish.' }
    } catch { $failed += ('{0}: {1} 0x{2:X8}' -f $update.Title, $_.Exception.Message, $_.Exception.HResult) }
  }`,
  'if ($failed.Count -gt 0) { $failed; "$($failed.Count) of $($chosen.Count) failed: $($failed[0])"; exit 1 }',
  "'Progress: 100 %'",
].join('\n')
