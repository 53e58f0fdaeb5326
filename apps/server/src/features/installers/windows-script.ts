import type { InstallFlags } from '@muster/contract/api/installers'
import type { ServerTrust } from './install-files.ts'
import { END, REFUSAL } from './install-script.ts'

export interface WindowsInstall {
  url: string
  token: string
  trust: ServerTrust
  flags: InstallFlags
}

/**
 * The line to paste into an elevated PowerShell. It is input of a shell that runs already, so the token is in no command
 * line of a process. System.Net.WebClient works in Windows PowerShell 5.1 and in PowerShell 7, needs no Internet
 * Explorer, and trusts what `trustServer` says.
 */
export function windowsLine({ url, token, trust }: Pick<WindowsInstall, 'url' | 'token' | 'trust'>): string {
  const header = `$w.Headers.Add('Authorization',${quote(`Enrol ${token}`)});`
  return `${prelude(trust)}$w=New-Object Net.WebClient;${header}${runAnswer(`${url}/agent/install.ps1`)}`
}

/** The line for a deployment, whose address is the secret. */
export function windowsDeployLine(address: string, trust: ServerTrust): string {
  return `${prelude(trust)}$w=New-Object Net.WebClient;${runAnswer(address)}`
}

/**
 * Runs the whole script that the server sends. Everything else is thrown with a sentence: PowerShell then ends with exit
 * code 1 where a tool has started it, and stays open where a person has. A refusal is the body of an error.
 */
function runAnswer(address: string): string {
  const [refusal, end] = [quote(REFUSAL), quote(END)]
  return (
    `try{$s=$w.DownloadString(${quote(address)})}catch{$e=$_.Exception;$b=$e.GetBaseException();` +
    'while($e -and $e -isnot [Net.WebException]){$e=$e.InnerException};' +
    'if($e -and $e.Response){$s=(New-Object IO.StreamReader $e.Response.GetResponseStream()).ReadToEnd()}' +
    `elseif($b -is [Security.Authentication.AuthenticationException]){$s=${refusal}+'the certificate of the server is not trusted'}` +
    `else{$s=${refusal}+'the server does not answer'}};` +
    `if(-not $s.TrimEnd().EndsWith(${end})){if($s.StartsWith(${refusal})){$s=$s.Substring(${REFUSAL.length}).Trim()}` +
    `else{$s='the answer is not a whole install script'};throw ${quote(`${REFUSAL}nothing was installed: `)}+$s};iex $s`
  )
}

/** For a silent installation by group policy or device management. The MSI reads its properties once. */
export function msiLine(given: { file: string; url: string; token: string; authority: boolean }): string {
  const { file, url, token, authority } = given
  // Windows Installer does not know the folder of the command.
  const ca = authority ? ' CAFILE="%CD%\\server-ca.pem"' : ''
  return `msiexec /i ${file} /qn SERVER=${url} TOKEN=${token}${ca}`
}

/** The installer for PowerShell 5.1 and later. It can be repeated. */
export function windowsScript({ url, token, trust, flags }: WindowsInstall): string {
  const values: Record<string, string> = {
    URL: quote(url),
    TOKEN: quote(token),
    AUTHORITY: quote(trust.authority ?? ''),
    TRUST: trustServer(trust),
    POWER: `$${flags.power}`,
    RDP: `$${flags.rdp}`,
    PING: `$${flags.ping}`,
  }
  return TEMPLATE.replaceAll(/@([A-Z]+)@/g, (whole, name: string) => values[name] ?? whole)
}

/** Windows Server 2016 offers TLS 1.0 only by default. */
function prelude(trust: ServerTrust): string {
  return `[Net.ServicePointManager]::SecurityProtocol='Tls12';${trustServer(trust)}`
}

/**
 * For a certificate that Windows does not know: trusts exactly this one, by its SHA-256, until the script has ended. It
 * is compiled, because .NET calls it on threads on which PowerShell cannot run a script block.
 */
function trustServer({ authority, certificateHash }: ServerTrust): string {
  if (authority === undefined || certificateHash === undefined) return ''
  return (
    `Add-Type ${quote(PIN_CLASS)};[MusterPin]::Hash=${quote(certificateHash)};` +
    '[Net.ServicePointManager]::ServerCertificateValidationCallback=[MusterPin]::Check;'
  )
}

/** C# 5, the language of Windows PowerShell. Always the same text: a second type of this name would be an error. */
const PIN_CLASS =
  'public static class MusterPin{public static string Hash;' +
  'public static System.Net.Security.RemoteCertificateValidationCallback Check=(s,c,h,e)=>' +
  'System.BitConverter.ToString(System.Security.Cryptography.SHA256.Create().ComputeHash(c.GetRawCertData()))' +
  '.Replace("-","").ToLowerInvariant()==Hash;}'

/** Quotes any text as one literal. PowerShell also takes the typographic quotation marks as delimiters. */
function quote(text: string): string {
  return `'${text.replaceAll(/['\u2018\u2019\u201a\u201b]/g, '$&$&')}'`
}

const TEMPLATE = String.raw`# Installs the Muster agent. Run it in PowerShell as administrator.
& {
  $ErrorActionPreference = 'Stop'
  $url = @URL@
  $token = @TOKEN@
  $authority = @AUTHORITY@
  $data = Join-Path $env:ProgramData 'Muster Agent'

  function Say([string]$text) { Write-Host "muster: $text" }

  # The server answers 503 while it builds the package, and 429 while it sends too many others.
  function Save-Package([string]$from, [string]$to) {
    $waited = 0
    while ($true) {
      $client = New-Object Net.WebClient
      $client.Headers.Add('Authorization', "Enrol $token")
      try {
        $client.DownloadFile($from, $to)
        return
      } catch {
        $failure = $_.Exception
        while ($failure -and $failure -isnot [Net.WebException]) { $failure = $failure.InnerException }
        if (-not $failure -or -not $failure.Response) { throw "muster: $url does not answer: $($_.Exception.Message)" }
        $status = [int]$failure.Response.StatusCode
        $reader = New-Object IO.StreamReader $failure.Response.GetResponseStream()
        $reason = $reader.ReadToEnd().Trim()
        $reader.Dispose()
        if (($status -ne 503 -and $status -ne 429) -or $waited -ge 1200) { throw "muster: the package could not be downloaded: $reason" }
        if ($waited -eq 0) { Say $reason }
        $waited += 5
      } finally {
        $client.Dispose()
      }
      Start-Sleep -Seconds 5
    }
  }

  $identity = New-Object Security.Principal.WindowsPrincipal ([Security.Principal.WindowsIdentity]::GetCurrent())
  if (-not $identity.IsInRole([Security.Principal.WindowsBuiltInRole]::Administrator)) {
    throw 'muster: start PowerShell with "Run as administrator", then paste the line again'
  }
  # A 32-bit PowerShell names its own kind, and that of the system in the second variable.
  $processor = $env:PROCESSOR_ARCHITECTURE
  if ($env:PROCESSOR_ARCHITEW6432) { $processor = $env:PROCESSOR_ARCHITEW6432 }
  if ($processor -eq 'AMD64') { $arch = 'x64' }
  elseif ($processor -eq 'ARM64') { $arch = 'arm64' }
  else { throw "muster: the agent needs 64-bit Windows, this is $processor" }
  $programs = $env:ProgramFiles
  if ($env:ProgramW6432) { $programs = $env:ProgramW6432 }

  # Not in the folder of the user, whose other programs could replace the package before it runs.
  $scratch = Join-Path $env:SystemRoot ('Temp\muster-' + [Guid]::NewGuid())
  [void](New-Item -ItemType Directory -Path $scratch)
  try {
    [Net.ServicePointManager]::SecurityProtocol = 'Tls12'
    @TRUST@
    Say 'downloading the agent'
    $package = Join-Path $scratch 'muster-agent.msi'
    Save-Package "$url/agent/packages/windows/$arch/msi" $package
    Say 'installing'
    $quoted = '"' + $package + '"'
    $setup = Start-Process msiexec.exe -ArgumentList '/i', $quoted, '/qn', '/norestart' -Wait -PassThru
    # 3010: done, and Windows wants to restart.
    if ($setup.ExitCode -ne 0 -and $setup.ExitCode -ne 3010) {
      throw "muster: Windows Installer failed with code $($setup.ExitCode)"
    }
    $agent = Get-ChildItem (Join-Path $programs 'Muster Agent') -Recurse -Filter muster-agent.mjs | Select-Object -First 1
    if (-not $agent) { throw 'muster: the package was installed without the agent' }
    $node = Join-Path $agent.DirectoryName 'node.exe'
    $options = @('enrol', '--server', $url, '--data', $data)
    if ($authority -ne '') {
      $ca = Join-Path $scratch 'server-ca.pem'
      [IO.File]::WriteAllText($ca, $authority)
      $options += @('--ca', $ca)
    }
    # After a repeated installation it runs, and would keep the old enrolment.
    $service = Get-Service MusterAgent -ErrorAction SilentlyContinue
    if ($service) { Stop-Service MusterAgent }
    # PowerShell would take what a program writes to stderr for an error.
    $ErrorActionPreference = 'Continue'
    # Not in the command line, which others can read.
    $env:MUSTER_ENROL_TOKEN = $token
    & $node $agent.FullName $options
    $code = $LASTEXITCODE
    Remove-Item Env:MUSTER_ENROL_TOKEN
    if ($code -ne 0) {
      # A refused token must not take an enrolled machine offline.
      if ($service) { Start-Service MusterAgent }
      throw 'muster: the machine could not be enrolled'
    }
    & $node $agent.FullName install --data $data
    if ($LASTEXITCODE -ne 0) { throw 'muster: the service could not be started' }
    $ErrorActionPreference = 'Stop'

    if (@POWER@) {
      foreach ($setting in 'standby-timeout-ac', 'hibernate-timeout-ac') { powercfg.exe /change $setting 0 }
      Say 'the machine never sleeps on mains power'
    }
    if (@RDP@) {
      $server = 'HKLM:\System\CurrentControlSet\Control\Terminal Server'
      Set-ItemProperty $server -Name fDenyTSConnections -Value 0
      # The group of rules by its resource, which has the same name in every language of Windows.
      Enable-NetFirewallRule -Group '@FirewallAPI.dll,-28752'
      Say 'Remote Desktop is allowed'
    }
    if (@PING@) {
      if (-not (Get-NetFirewallRule -Name 'Muster-Ping' -ErrorAction SilentlyContinue)) {
        [void](New-NetFirewallRule -Name 'Muster-Ping' -DisplayName 'Answer pings (Muster)' -Direction Inbound -Protocol ICMPv4 -IcmpType 8 -Action Allow)
      }
      Say 'the machine answers pings'
    }
    Say 'installed; the service starts with Windows'
  } finally {
    Remove-Item Env:MUSTER_ENROL_TOKEN -ErrorAction SilentlyContinue
    Remove-Item $scratch -Recurse -Force -ErrorAction SilentlyContinue
    [Net.ServicePointManager]::ServerCertificateValidationCallback = $null
  }
}
${END}
`
