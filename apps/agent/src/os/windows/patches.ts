import { z } from 'zod'
import {
  type InstalledPatch,
  MAX_INSTALLED_PATCHES,
  type Patch,
  PatchSeverity,
} from '@muster/contract/agent/patches'
import { AgentError, MeasureError } from '../../errors.ts'
import { makeInstalledPatch, makePatch, type PatchTools, runInstaller } from '../package-tools.ts'
import { firstLine, runTool } from '../run-tool.ts'

/** Software only, without drivers and hidden updates. */
const SEARCH = "IsInstalled=0 and IsHidden=0 and Type='Software'"

const BEGIN = [
  '[Console]::OutputEncoding = [Text.Encoding]::UTF8',
  "$ErrorActionPreference = 'Stop'",
  '$session = New-Object -ComObject Microsoft.Update.Session',
  `$found = $session.CreateUpdateSearcher().Search("${SEARCH}").Updates`,
]

/** Prints the updates that Windows Update offers as a JSON list. */
const SCAN_SCRIPT = [
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
const INSTALL_SCRIPT = [
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

/** Prints the newest installations that Windows Update has recorded, including failed ones, as a JSON list. */
const HISTORY_SCRIPT = [
  '[Console]::OutputEncoding = [Text.Encoding]::UTF8',
  "$ErrorActionPreference = 'Stop'",
  '$searcher = (New-Object -ComObject Microsoft.Update.Session).CreateUpdateSearcher()',
  `$count = [math]::Min($searcher.GetTotalHistoryCount(), ${MAX_INSTALLED_PATCHES})`,
  '$entries = @(if ($count -gt 0) { $searcher.QueryHistory(0, $count) })',
  `$list = @($entries | ForEach-Object { @{
    guid = $_.UpdateIdentity.UpdateID; title = $_.Title; operation = $_.Operation; result = $_.ResultCode
    date = $_.Date.ToString('yyyy-MM-ddTHH:mm:ssZ', [Globalization.CultureInfo]::InvariantCulture)
  } })`,
  'ConvertTo-Json -Compress -InputObject $list',
].join('\n')

/** Windows contacts its update server, which may take minutes. */
const LIMIT_MS = 600_000
const HISTORY_LIMIT_MS = 120_000
const POWERSHELL = ['-NoProfile', '-NonInteractive', '-Command']

export const windowsPatches: PatchTools = {
  async scan({ signal }) {
    const { code, stdout, stderr } = await runTool('powershell', [...POWERSHELL, SCAN_SCRIPT], {
      signal,
      timeoutMs: LIMIT_MS,
    })
    if (code === null) throw new MeasureError('Windows Update timed out after ten minutes.')
    const patches = parseWindowsUpdates(stdout)
    if (patches === undefined)
      throw new MeasureError(`Windows Update failed: ${describeHresult(firstLine(stderr, stdout))}`)
    return { patches, problem: null }
  },
  async listInstalled(signal) {
    const { stdout, stderr } = await runTool('powershell', [...POWERSHELL, HISTORY_SCRIPT], {
      signal,
      timeoutMs: HISTORY_LIMIT_MS,
    })
    const installed = parseWindowsHistory(stdout)
    if (installed === undefined)
      throw new MeasureError(
        `Failed to read the update history: ${describeHresult(firstLine(stderr, stdout))}`,
      )
    return installed
  },
  async install(guids) {
    const end = await runInstaller('powershell', [...POWERSHELL, INSTALL_SCRIPT], {
      env: { MUSTER_PATCHES: (guids ?? []).join(' ') },
    })
    if (end.code !== 0)
      throw new AgentError(
        `Windows Update failed to install some updates: ${describeHresult(end.said.trim().split(/\r?\n/).at(-1) ?? '')}`,
      )
  },
}

/** Older versions of PowerShell write a list of one as a single value. */
const Words = z.union([z.array(z.string()), z.string().transform((one) => [one])]).catch([])
const Found = z.object({
  guid: z.uuid(),
  title: z.string().trim().min(1),
  description: z.string().nullish(),
  severity: z.string().nullish(),
  categories: Words,
  kbs: Words,
  urls: Words,
  size: z.number().nullish(),
  downloaded: z.boolean().nullish(),
  reboot: z.boolean().nullish(),
})

/** Parses the output of SCAN_SCRIPT; undefined if it is invalid. */
export function parseWindowsUpdates(output: string): Patch[] | undefined {
  const list = z.array(z.unknown()).safeParse(tryJson(output))
  if (!list.success) return undefined
  return list.data.flatMap((raw): Patch[] => {
    const found = Found.safeParse(raw).data
    if (found === undefined) return []
    const severity = PatchSeverity.safeParse(found.severity ?? '').data ?? ''
    return [
      makePatch({
        guid: found.guid,
        source: 'windows',
        title: found.title,
        kb: found.kbs[0] === undefined ? '' : `KB${found.kbs[0].replace(/^KB/i, '')}`,
        description: found.description ?? '',
        severity,
        security: severity !== '' || found.categories.includes('Security Updates'),
        categories: found.categories,
        more_info_urls: found.urls,
        size: found.size ?? null,
        downloaded: found.downloaded ?? false,
        needs_reboot: found.reboot ?? false,
      }),
    ]
  })
}

const INSTALLATION = 1
/** Succeeded, also with errors of single files. */
const SUCCEEDED = [2, 3]
const Entry = z.object({
  guid: z.uuid(),
  title: z.string().trim().min(1),
  operation: z.literal(INSTALLATION),
  result: z.number().refine((code) => SUCCEEDED.includes(code)),
  date: z.string(),
})

/** Parses the output of HISTORY_SCRIPT; undefined if it is invalid. */
export function parseWindowsHistory(output: string): InstalledPatch[] | undefined {
  const list = z.array(z.unknown()).safeParse(tryJson(output))
  if (!list.success) return undefined
  return list.data.flatMap((raw) => {
    const entry = Entry.safeParse(raw).data
    if (entry === undefined) return []
    const { guid, title, date } = entry
    const [kb = ''] = /\bKB\d{6,8}\b/.exec(title) ?? []
    return makeInstalledPatch({ guid, source: 'windows', title, kb, at: new Date(date) })
  })
}

const KNOWN: Record<string, string> = {
  '80240016': 'another installation is running, or the machine has to restart first',
  '8024402C': 'the name of the update server cannot be resolved',
  '80072EE2': 'the update server timed out',
  '80072EFD': 'the update server cannot be reached',
  '80070422': 'the service Windows Update is disabled',
  '80070005': 'access is denied: the agent does not run as SYSTEM or as an administrator',
}

/** Describes Windows error numbers. */
export function describeHresult(text: string): string {
  const [, number = ''] = /0x([0-9A-F]{8})/i.exec(text) ?? []
  const known = KNOWN[number.toUpperCase()]
  if (known !== undefined) return `${known} (0x${number}).`
  return text.trim() === '' ? 'PowerShell printed nothing.' : text.trim().slice(0, 400)
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}
