import { type Me, Preferences } from '@muster/contract/api/users'
import { DEFAULT_COLORS } from '@muster/rules/text/colors'
import { TREE_SPLITTER_DEFAULT } from '@muster/rules/text/layout'
import { PERMISSIONS } from '@muster/contract/permissions'
import type { Db } from '../../platform/database/database.ts'
import { type Caller, mayDo } from '../../platform/http/caller.ts'

export async function findPreferences(db: Db, userId: number): Promise<Preferences> {
  return readPreferences(await storedPreferences(db, userId))
}

/** Call in a transaction: two concurrent changes are both kept, because the first write makes the second wait. */
export async function savePreferenceChanges(db: Db, userId: number, changes: object): Promise<Preferences> {
  await db
    .updateTable('users')
    .set((eb) => ({ preferences: eb.ref('preferences') }))
    .where('id', '=', userId)
    .execute()
  const preferences = addPreferences(await storedPreferences(db, userId), changes)
  await db.updateTable('users').set({ preferences }).where('id', '=', userId).execute()
  return readPreferences(preferences)
}

export async function findTotpState(db: Db, userId: number) {
  return db
    .selectFrom('users')
    .leftJoin('roles', 'roles.id', 'users.role_id')
    .where('users.id', '=', userId)
    .select(['users.totp_confirmed', 'roles.totp_required'])
    .executeTakeFirstOrThrow()
}

async function storedPreferences(db: Db, userId: number): Promise<string> {
  const row = await db.selectFrom('users').where('id', '=', userId).select('preferences').executeTakeFirst()
  return row?.preferences ?? '{}'
}

/** Preferences without own choices. */
export const DEFAULT_PREFERENCES: Preferences = {
  start_page: 'dashboard',
  first_steps_hidden: false,
  dark_mode: true,
  show_community_scripts: true,
  agent_dblclick_action: 'editagent',
  url_action: null,
  default_agent_tbl_tab: 'mixed',
  client_tree_sort: 'alphafail',
  client_tree_splitter: TREE_SPLITTER_DEFAULT,
  ...DEFAULT_COLORS,
  clear_search_when_switching: true,
  date_format: '',
  compact_rows: true,
  show_agent_version: false,
  agent_columns: [],
  terminal_font_size: 13,
  terminal_theme: 'dark',
}

/** Merges stored choices into the defaults. Values that this version does not accept are ignored. */
export function readPreferences(stored: string): Preferences {
  // Written by addPreferences, possibly of an older version.
  const chosen = JSON.parse(stored) as Record<string, unknown>
  const good = Object.entries(chosen).filter(
    ([name, value]) =>
      Preferences.partial()
        .strict()
        .safeParse({ [name]: value }).success,
  )
  return Preferences.parse({ ...DEFAULT_PREFERENCES, ...Object.fromEntries(good) })
}

/** Adds these choices to the stored text. */
function addPreferences(stored: string, changes: object): string {
  return JSON.stringify({ ...(JSON.parse(stored) as object), ...changes })
}

export function viewMe(
  caller: Caller,
  state: {
    totp: boolean
    totpMayWait: boolean
    passkeys: number
    recoveryCodes: number
    minPasswordLength: number
  },
): Me {
  return {
    id: caller.userId,
    username: caller.username,
    name: caller.name,
    is_superuser: caller.isSuperuser,
    permissions: PERMISSIONS.filter((permission) => mayDo(caller, permission)),
    totp: state.totp,
    totp_may_wait: state.totpMayWait,
    passkeys: state.passkeys,
    recovery_codes: state.recoveryCodes,
    password_min_length: state.minPasswordLength,
  }
}
