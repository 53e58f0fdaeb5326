import { nameDisk } from './every-disk.ts'

/** The settings that the name and the thresholds of a check need. */
export type NamedSettings =
  | ({
      check_type: 'diskspace'
      disk: string
      threshold_unit: 'percent' | 'gigabytes' | 'inodes'
    } & Thresholds)
  | ({ check_type: 'cpuload' } & Thresholds)
  | ({ check_type: 'memory'; memory_kind: 'memory' | 'swap' } & Thresholds)
  | ({ check_type: 'http' | 'tcp'; name: string } & Thresholds)
  | { check_type: 'ping' | 'dns' | 'eventlog' | 'journal'; name: string }
  | { check_type: 'service'; svc_name: string; svc_display_name?: string | undefined }
  | { check_type: 'process'; process_name: string }
  | { check_type: 'file'; path: string }
  | { check_type: 'script' }

interface Thresholds {
  warning_threshold: number
  error_threshold: number
}

export interface NamedCheck {
  settings: NamedSettings
  /** For a script check; null if the script was deleted. */
  script_name: string | null
}

/** The name of a check, the same on every screen and in every message: `Disk space of /srv`. */
export function nameCheck({ settings, script_name }: NamedCheck): string {
  switch (settings.check_type) {
    case 'diskspace':
      return `${settings.threshold_unit === 'inodes' ? 'Inodes' : 'Disk space'} of ${nameDisk(settings.disk)}`
    case 'cpuload':
      return 'CPU load'
    case 'memory':
      return settings.memory_kind === 'swap' ? 'Swap' : 'Memory'
    case 'ping':
      return `Ping ${settings.name}`
    case 'service': {
      const { svc_name, svc_display_name = '' } = settings
      const isNamed = svc_display_name !== '' && svc_display_name !== svc_name
      return isNamed ? `Service ${svc_display_name} (${svc_name})` : `Service ${svc_name}`
    }
    case 'process':
      return `Process ${settings.process_name}`
    case 'file':
      return `File ${settings.path}`
    case 'eventlog':
      return `Event log ${settings.name}`
    case 'journal':
      return `Journal ${settings.name}`
    case 'http':
      return `HTTP ${settings.name}`
    case 'tcp':
      return `TCP port ${settings.name}`
    case 'dns':
      return `DNS ${settings.name}`
    case 'script':
      return script_name === null ? 'Deleted script' : `Script ${script_name}`
  }
}

/** The name with the thresholds, if it has any: `CPU load: warning at 70 %, error at 90 %`. */
export function describeCheck(check: NamedCheck): string {
  const thresholds = describeThresholds(check.settings)
  return thresholds === '' ? nameCheck(check) : `${nameCheck(check)}: ${thresholds}`
}

/** `warning at 70 %, error at 90 %`; empty without thresholds. */
export function describeThresholds(settings: NamedSettings): string {
  if (!('warning_threshold' in settings)) return ''
  const { warning_threshold: warning, error_threshold: error } = settings
  const unit = unitOf(settings)
  return [
    ...(warning > 0 ? [`warning at ${warning} ${unit}`] : []),
    ...(error > 0 ? [`error at ${error} ${unit}`] : []),
  ].join(', ')
}

function unitOf(settings: Extract<NamedSettings, Thresholds>): string {
  switch (settings.check_type) {
    case 'http':
    case 'tcp':
      return 'ms'
    case 'diskspace':
      return settings.threshold_unit === 'gigabytes' ? 'GB' : '%'
    case 'cpuload':
    case 'memory':
      return '%'
  }
}
