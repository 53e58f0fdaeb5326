import { createHash } from 'node:crypto'

export const STANDARD_FOLDER = '/var/lib/muster-agent'

/** Each data folder has its own service. */
export function unitName(folder: string): string {
  if (folder === STANDARD_FOLDER) return 'muster-agent.service'
  return `muster-agent-${createHash('sha256').update(folder).digest('hex').slice(0, 8)}.service`
}

/** The unit file. deploy/systemd/muster-agent.service is this text for the default paths. */
export function unitText(options: { folder: string; program: string[] }): string {
  const command = [...options.program, 'run', '--data', options.folder].map(quote).join(' ')
  return `[Unit]
Description=Muster agent
After=network.target
StartLimitIntervalSec=0

[Service]
ExecStart=${command}
# The agent ends its runs and says so to the server; what is still there after that is killed.
KillMode=mixed
TimeoutStopSec=15
Restart=always
RestartSec=2
# A script that takes all memory is killed alone.
OOMPolicy=continue
TasksMax=infinity

[Install]
WantedBy=multi-user.target
`
}

/** systemd splits at spaces and expands % and $. */
function quote(text: string): string {
  const safe = text.replaceAll('%', '%%').replaceAll('$', '$$$$')
  return /^[\w@%+=:,./-]+$/.test(safe) ? safe : `"${safe.replaceAll(/["\\]/g, '\\$&')}"`
}
