import { DEFAULT_METRICS_INTERVAL } from '@muster/contract/agent/metrics'
import {
  DEFAULT_RECORD_RETENTION,
  DEFAULT_RETENTION,
  type RecordRetention,
  type Retention,
} from '@muster/rules/schedules/retention'
import { MIN_PASSWORD_CHARACTERS } from '@muster/contract/api/sessions'
import type { CoreSettings } from '@muster/contract/api/settings'
import { DEFAULT_VNC_TARGETS } from '@muster/rules/remote/vnc-targets'
import { AppError } from '@muster/contract/errors'
import type { Db } from '../database/database.ts'

/** The stored settings that users change together. */
export interface StoredSettings extends Retention, RecordRetention {
  /** Scripts may run on the server: of alert templates, and as a test. */
  enable_server_scripts: boolean
  /** Superusers may open a shell of the server. */
  enable_server_webterminal: boolean
  /** Users may sign in with providers. */
  sso_enabled: boolean
  /** Only superusers may sign in with a password. */
  block_local_user_logon: boolean
  /** Seconds between metrics samples of each machine. */
  metrics_interval: number
  record_terminals: CoreSettings['record_terminals']
  recording_keep_days: number
  recording_max_mb: number
  desktop_recording_max_mb: number
  vnc_targets: string[]
  companyname: string
  availability_alerts_servers: boolean
  availability_alerts_workstations: boolean
  /** False only after an update from a version without defaults, if there were machines. */
  availability_alerts_asked: boolean
  /** For new passwords. */
  password_min_length: number
  modified: string
}

/** Settings with access to the server's own machine. Always off on a hosted server. */
export const SERVER_SWITCHES = ['enable_server_scripts', 'enable_server_webterminal'] as const

const NAME = 'core_settings'
/** Before the first save. */
const NEVER = '1970-01-01T00:00:00.000Z'

export async function readCoreSettings(db: Db): Promise<StoredSettings> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', NAME).executeTakeFirst()
  // Written below, possibly by a version with fewer settings.
  const stored = row === undefined ? {} : (JSON.parse(row.value) as Partial<StoredSettings>)
  return {
    ...DEFAULT_RETENTION,
    ...DEFAULT_RECORD_RETENTION,
    metrics_interval: DEFAULT_METRICS_INTERVAL,
    enable_server_scripts: false,
    enable_server_webterminal: false,
    sso_enabled: false,
    block_local_user_logon: false,
    record_terminals: 'servers',
    recording_keep_days: 90,
    recording_max_mb: 50,
    desktop_recording_max_mb: 200,
    vnc_targets: DEFAULT_VNC_TARGETS,
    companyname: '',
    availability_alerts_servers: true,
    availability_alerts_workstations: false,
    availability_alerts_asked: true,
    password_min_length: MIN_PASSWORD_CHARACTERS,
    modified: NEVER,
    ...stored,
  }
}

/** Throws while scripts may not run on the server. */
export function refuseServerScriptsOff({
  enable_server_scripts: isOn,
}: Pick<StoredSettings, 'enable_server_scripts'>): void {
  if (isOn) return
  throw new AppError(
    'not_allowed',
    'Scripts on the server are switched off. A superuser can switch them on in the global settings.',
  )
}

export async function writeCoreSettings(tx: Db, settings: StoredSettings): Promise<void> {
  await tx
    .updateTable('settings')
    .set({ value: JSON.stringify(settings) })
    .where('name', '=', NAME)
    .execute()
}

/** Locks the row until the transaction ends. Creates it before the first save. */
export async function lockCoreSettings(tx: Db): Promise<void> {
  await tx
    .insertInto('settings')
    .values({ name: NAME, value: '{}' })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((eb) => ({ value: eb.ref('settings.value') })),
    )
    .execute()
}
