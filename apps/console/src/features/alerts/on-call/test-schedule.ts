import type { NotifiableUser, OnCallSchedule } from '@muster/contract/api/on-call'

export const USERS: NotifiableUser[] = [
  { id: 1, name: 'Ada', has_email: true, is_active: true },
  { id: 2, name: 'Bob', has_email: false, is_active: true },
]

/** Ada is on call without end, unless said otherwise. */
export function testSchedule(more: Partial<OnCallSchedule> = {}): OnCallSchedule {
  return {
    id: 1,
    name: 'Servers',
    time_zone: 'UTC',
    rotates: 'weekly',
    starts: '2026-01-05T09:00',
    members: [1],
    overrides: [],
    now: { user: 1, name: 'Ada', until: null, is_override: false },
    users: USERS,
    used_by: [],
    modified: 'm1',
    ...more,
  }
}
