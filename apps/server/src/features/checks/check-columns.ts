import { pathKey } from '@muster/rules/checks/check-key'
import { nameDisk } from '@muster/rules/checks/every-disk'
import type { CheckSettings } from '@muster/contract/api/checks'
import { AppError } from '@muster/contract/errors'
import { platformName, scriptFitsPlatform } from '@muster/rules/agents/available-actions'
import { type Thresholds, validateLimits, validateThresholds } from '@muster/rules/checks/thresholds'
import type { Db } from '../../platform/database/database.ts'
import { completeEnvironment } from '../scripts/complete-environment.ts'
import { isServerCheck, type ServerSettings } from './from-server/server-kind.ts'

/** Refuses invalid thresholds (spec section 5). */
export function refuseBadThresholds(settings: CheckSettings): void {
  if (settings.check_type === 'script') {
    for (const [index, metric] of settings.metric_thresholds.entries()) {
      const message = validateLimits(metric)
      if (message !== undefined) refuse(`settings.metric_thresholds.${index}.warning_threshold`, message)
    }
    return
  }
  if (!('warning_threshold' in settings)) return
  const { warning_threshold: warning, error_threshold: error } = settings
  if (isServerCheck(settings)) refuseServerPairs(settings)
  else refusePair('settings', { warning, error, reverse: settings.check_type === 'diskspace' })
}

/** For server checks thresholds are optional, because other failures exist. */
function refuseServerPairs(settings: Extract<ServerSettings, { warning_threshold: number }>): void {
  const { warning_threshold: warning, error_threshold: error } = settings
  if (warning > 0 || error > 0) refusePair('settings', { warning, error, reverse: false })
  if (settings.check_type !== 'http') return
  const days = { warning: settings.cert_warning_days, error: settings.cert_error_days, reverse: true }
  const message = days.warning > 0 || days.error > 0 ? validateThresholds(days) : undefined
  if (message !== undefined) refuse('settings.cert_warning_days', message)
}

function refusePair(path: string, thresholds: Thresholds): void {
  const message = validateThresholds(thresholds)
  if (message !== undefined) refuse(`${path}.warning_threshold`, message)
}

function refuse(field: string, message: string): never {
  throw new AppError('invalid', message, { fields: { [field]: [message] } })
}

type Machine = { hostname: string; plat: 'windows' | 'linux' | 'darwin' }

/** Refuses a missing script, or one for other systems. */
export async function refuseBadScript(db: Db, machine: Machine, settings: CheckSettings): Promise<void> {
  if (settings.check_type !== 'script') return
  const script = await db
    .selectFrom('scripts')
    .select(['name', 'supported_platforms'])
    .where('id', '=', settings.script)
    .executeTakeFirst()
  if (script === undefined) refuse('settings.script', 'This script does not exist.')
  // A JSON column, written by the scripts feature from the contract's list.
  const platforms = JSON.parse(script.supported_platforms) as string[]
  if (scriptFitsPlatform(platforms, machine.plat)) return
  refuse(
    'settings.script',
    `${script.name} does not support ${platformName(machine.plat)}. Choose another script.`,
  )
}

/** The settings with the default values of the script's parameters. Throws for a missing or wrong value. */
export async function completeCheck(db: Db, settings: CheckSettings): Promise<CheckSettings> {
  if (settings.check_type !== 'script') return settings
  const script = await db
    .selectFrom('scripts')
    .select('parameters')
    .where('id', '=', settings.script)
    .executeTakeFirst()
  if (script === undefined) return settings
  return { ...settings, env_vars: completeEnvironment(script, settings.env_vars, 'settings.') }
}

export function toColumns(settings: CheckSettings, machine: Machine) {
  const { check_type: _, ...own } = settings
  return {
    settings: JSON.stringify(own),
    only_key: onlyKey(settings, machine),
    script_id: settings.check_type === 'script' ? settings.script : null,
  }
}

/** The error for a check that a machine can have only once. */
export function takenCheck(settings: CheckSettings): { field: string; sentence: string } {
  if (settings.check_type === 'diskspace') {
    const kind = settings.threshold_unit === 'inodes' ? 'an inode check' : 'a disk space check'
    const sentence = `This machine already has ${kind} for ${nameDisk(settings.disk)}.`
    return { field: 'settings.disk', sentence }
  }
  const isSwap = settings.check_type === 'memory' && settings.memory_kind === 'swap'
  const kind = settings.check_type === 'cpuload' ? 'CPU load' : isSwap ? 'swap' : 'memory'
  const field = settings.check_type === 'memory' ? 'settings.memory_kind' : 'settings.check_type'
  return { field, sentence: `This machine already has a ${kind} check.` }
}

function onlyKey(settings: CheckSettings, { plat }: Machine): string | null {
  switch (settings.check_type) {
    case 'cpuload':
      return 'cpuload'
    case 'memory':
      return settings.memory_kind
    case 'diskspace': {
      const disk = pathKey(settings.disk)
      const kind = settings.threshold_unit === 'inodes' ? 'inodes' : 'disk'
      return `${kind} ${plat === 'windows' ? disk.toLowerCase() : disk}`
    }
    default:
      return null
  }
}
