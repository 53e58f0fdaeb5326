import type { CheckSettings } from '@muster/contract/api/checks'

const UNITS = { percent: '%', gigabytes: ' GB', inodes: '% of the inodes' }

/** The display name of a check: its type and its subject. */
export function describeCheck(settings: CheckSettings, scriptName: string | null): string {
  switch (settings.check_type) {
    case 'diskspace':
      return `Disk Space Check: ${settings.disk} - ${describeThresholds(settings, UNITS[settings.threshold_unit])}`
    case 'cpuload':
      return `CPU Load Check: ${describeThresholds(settings, '%')}`
    case 'memory': {
      const kind = settings.memory_kind === 'memory' ? 'Memory' : 'Swap'
      return `${kind} Check: ${describeThresholds(settings, '%')}`
    }
    case 'ping':
      return `Ping Check: ${settings.name}`
    case 'service':
      return settings.svc_display_name
        ? `Service Check: ${settings.svc_display_name} (${settings.svc_name})`
        : `Service Check: ${settings.svc_name}`
    case 'script':
      return `Script Check: ${scriptName ?? 'the script was deleted'}`
    case 'process':
      return `Process Check: ${settings.process_name}`
    case 'file':
      return `File Check: ${settings.path}`
    case 'eventlog':
      return `Event Log Check: ${settings.name}`
    case 'journal':
      return `Journal Check: ${settings.name}`
    case 'http':
      return `HTTP Check: ${settings.name} - ${settings.url}`
    case 'tcp':
      return `TCP Port Check: ${settings.name} - ${settings.host}, port ${settings.port}`
    case 'dns':
      return `DNS Check: ${settings.name} - ${settings.record_type} of ${settings.record_name}`
  }
}

function describeThresholds(
  thresholds: { warning_threshold: number; error_threshold: number },
  unit: string,
): string {
  const { warning_threshold: warning, error_threshold: error } = thresholds
  return [
    ...(warning > 0 ? [`Warning Threshold: ${warning}${unit}`] : []),
    ...(error > 0 ? [`Error Threshold: ${error}${unit}`] : []),
  ].join(', ')
}
