import type { NotifiableUser, OnCallForm, OnCallSchedule } from '@muster/contract/api/on-call'
import { onCallAt } from '@muster/rules/schedules/on-call'
import type { Selectable } from 'kysely'
import type { Db } from '../../../platform/database/database.ts'
import type { OnCallSchedulesTable } from '../../../platform/database/tables/escalations.ts'
import { displayName } from '../../users/sessions/queries.ts'

export type OnCallRow = Selectable<OnCallSchedulesTable>

export function findSchedules(db: Db): Promise<OnCallRow[]> {
  return db.selectFrom('on_call_schedules').selectAll().orderBy('name').execute()
}

export function findSchedule(db: Db, id: number): Promise<OnCallRow | undefined> {
  return db.selectFrom('on_call_schedules').selectAll().where('id', '=', id).executeTakeFirst()
}

export function readSchedule({ name, settings }: Pick<OnCallRow, 'name' | 'settings'>): OnCallForm {
  // Written by write-schedule.ts.
  return { ...(JSON.parse(settings) as Omit<OnCallForm, 'name'>), name }
}

/** A user with the address for notifications. */
export interface Person {
  id: number
  name: string
  email: string
  isActive: boolean
}

/** All users, by id. */
export async function findPeople(db: Db): Promise<Map<number, Person>> {
  const rows = await db
    .selectFrom('users')
    .select(['id', 'username', 'first_name', 'last_name', 'email', 'is_active'])
    .orderBy('username')
    .execute()
  return new Map(
    rows.map((row) => [
      row.id,
      {
        id: row.id,
        name: displayName(row) ?? row.username,
        email: row.email,
        isActive: row.is_active === 1,
      },
    ]),
  )
}

export function viewPerson({ id, name, email, isActive }: Person): NotifiableUser {
  return { id, name, has_email: email !== '', is_active: isActive }
}

/** The user on call in a schedule. Users who are deleted or disabled are skipped. */
export function whoIsOnCall(form: OnCallForm, people: ReadonlyMap<number, Person>, at: Date) {
  return onCallAt(form, at.getTime(), (id) => people.get(id)?.isActive === true)
}

export function viewSchedule(
  row: OnCallRow,
  { people, usedBy, now }: { people: ReadonlyMap<number, Person>; usedBy: string[]; now: Date },
): OnCallSchedule {
  const form = readSchedule(row)
  const { user, untilMs, isOverride } = whoIsOnCall(form, people, now)
  const ids = new Set([...form.members, ...form.overrides.map((override) => override.user)])
  return {
    ...form,
    id: row.id,
    now: {
      user,
      name: user === null ? '' : (people.get(user)?.name ?? ''),
      until: untilMs === null ? null : new Date(untilMs).toISOString(),
      is_override: isOverride,
    },
    users: [...ids].flatMap((id) => people.get(id) ?? []).map(viewPerson),
    used_by: usedBy,
    modified: row.modified,
  }
}
