import { scriptFitsPlatform } from '../agents/available-actions.ts'

/** The settings that identify a check. Thresholds and names do not count. */
export type KeyedCheck =
  | { check_type: 'diskspace'; disk: string; threshold_unit: string }
  | { check_type: 'cpuload' }
  | { check_type: 'memory'; memory_kind: string }
  | { check_type: 'ping'; ip: string }
  | { check_type: 'service'; svc_name: string }
  | { check_type: 'script'; script: number; script_args: readonly string[]; env_vars: readonly string[] }
  | { check_type: 'process'; process_name: string }
  | { check_type: 'file'; path: string }
  | {
      check_type: 'eventlog'
      log_name: string
      event_id: number
      event_id_is_wildcard: boolean
      event_type: string
      event_source: string | null
      event_message: string | null
    }
  | { check_type: 'journal'; unit: string | null; priority: string; event_message: string | null }
  | { check_type: 'http'; url: string; method: string }
  | { check_type: 'tcp'; host: string; port: number }
  | { check_type: 'dns'; record_name: string; record_type: string; resolver: string | null }

/**
 * Checks with the same key are the same check, and a machine has only one of them. The same script with other
 * arguments or variables is another check.
 */
export function checkKey(check: KeyedCheck): string {
  return JSON.stringify([check.check_type, ...partsOf(check)])
}

function partsOf(check: KeyedCheck): unknown[] {
  switch (check.check_type) {
    case 'diskspace': {
      return [check.threshold_unit === 'inodes', pathKey(check.disk)]
    }
    case 'cpuload':
      return []
    case 'memory':
      return [check.memory_kind]
    case 'ping':
      return [check.ip.toLowerCase()]
    case 'service':
      return [check.svc_name]
    case 'script':
      return [check.script, check.script_args, check.env_vars]
    case 'process':
      return [check.process_name]
    case 'file':
      return [pathKey(check.path)]
    case 'eventlog':
      return [
        check.log_name,
        check.event_id_is_wildcard ? '*' : check.event_id,
        check.event_type,
        check.event_source,
        check.event_message,
      ]
    case 'journal':
      return [check.unit, check.priority, check.event_message]
    case 'http':
      return [check.url, check.method]
    case 'tcp':
      return [check.host.toLowerCase(), check.port]
    case 'dns':
      return [check.record_name.toLowerCase(), check.record_type, check.resolver]
  }
}

/** One spelling of a disk or file: `/srv/`, `//srv` and `/srv/.` are `/srv`; `C`, `c:` and `C:\\` are `c:`. */
export function pathKey(path: string): string {
  const [, drive] = /^([a-z])(?:[/\\]*|:[/\\.]*)$/i.exec(path) ?? []
  if (drive !== undefined) return `${drive.toLowerCase()}:`
  if (/^[a-z]:/i.test(path))
    return path
      .toLowerCase()
      .replaceAll(/[/\\]+/g, '\\')
      .replace(/\\$/, '')
  if (!path.startsWith('/')) return path
  const names: string[] = []
  for (const name of path.split('/')) {
    if (name === '..') names.pop()
    else if (name !== '' && name !== '.') names.push(name)
  }
  return `/${names.join('/')}`
}

/**
 * Whether a machine of this system can run the check. `scriptPlatforms`: for a script check; undefined = the script
 * was deleted.
 */
export function checkFitsPlatform(
  check: KeyedCheck,
  plat: 'windows' | 'linux' | 'darwin',
  scriptPlatforms: readonly string[] | undefined,
): boolean {
  switch (check.check_type) {
    case 'eventlog':
      return plat === 'windows'
    case 'journal':
      return plat === 'linux'
    case 'diskspace':
    case 'file': {
      const path = check.check_type === 'file' ? check.path : check.disk
      return path.startsWith('/') ? plat !== 'windows' : !/^[a-z]:/i.test(path) || plat === 'windows'
    }
    case 'script':
      return scriptPlatforms === undefined || scriptFitsPlatform(scriptPlatforms, plat)
    default:
      return true
  }
}

/**
 * Whether a dependency of `id` on `on` would create a cycle. `parents`: the current dependencies, at least those
 * upwards from `on`.
 */
export function closesCircle(
  id: number,
  on: number,
  parents: ReadonlyMap<number, number | null | undefined>,
): boolean {
  const seen = new Set<number>()
  for (let next: number | null | undefined = on; next != null && !seen.has(next); next = parents.get(next)) {
    if (next === id) return true
    seen.add(next)
  }
  return false
}
