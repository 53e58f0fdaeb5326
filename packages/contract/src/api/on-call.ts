import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { Id, IdParams, Instant, Nothing } from '../fields.ts'
import { LocalTime } from './maintenance.ts'

export const OnCallOverride = z.object({ user: Id, from: Instant, to: Instant })

/** The rotation of the users on call: see rules/schedules/on-call. */
export const OnCallForm = z.object({
  name: z.string().trim().min(1, 'A name is needed.').max(100),
  /** IANA name. */
  time_zone: z.string().min(1).max(64),
  rotates: z.enum(['daily', 'weekly']),
  /** The first shift. Its time of day, and for a weekly rotation its weekday, are those of every handover. */
  starts: LocalTime,
  /** Ids of users, in the order of their shifts. */
  members: z.array(Id).min(1, 'Choose at least one user.').max(50),
  overrides: z.array(OnCallOverride).max(200).default([]),
})
export type OnCallForm = z.infer<typeof OnCallForm>

export const OnCallNow = z.object({
  /** Null = nobody. */
  user: z.int().nullable(),
  /** Empty = nobody. */
  name: z.string(),
  /** Null = without end. */
  until: Instant.nullable(),
  is_override: z.boolean(),
})

/** A user who can be notified. */
export const NotifiableUser = z.object({
  id: z.int(),
  /** The full name, or the user name. */
  name: z.string(),
  has_email: z.boolean(),
  is_active: z.boolean(),
})
export type NotifiableUser = z.infer<typeof NotifiableUser>

export const OnCallSchedule = OnCallForm.extend({
  id: z.int(),
  now: OnCallNow,
  /** Members and overriding users that exist. */
  users: z.array(NotifiableUser),
  /** Escalation chains that notify it. */
  used_by: z.array(z.string()),
  modified: z.string(),
})
export type OnCallSchedule = z.infer<typeof OnCallSchedule>

export const listOnCallSchedules = endpoint({
  method: 'GET',
  path: '/alerts/oncall/',
  access: 'can_list_alerttemplates',
  summary: 'List on-call schedules with who is on call now',
  response: z.array(OnCallSchedule),
})

export const getOnCallSchedule = endpoint({
  method: 'GET',
  path: '/alerts/oncall/:id/',
  access: 'can_list_alerttemplates',
  summary: 'One on-call schedule with who is on call now',
  params: IdParams,
  response: OnCallSchedule,
})

export const createOnCallSchedule = endpoint({
  method: 'POST',
  path: '/alerts/oncall/',
  access: 'can_manage_alerttemplates',
  summary: 'Add an on-call schedule',
  body: OnCallForm,
  response: OnCallSchedule,
})

export const editOnCallSchedule = endpoint({
  method: 'PUT',
  path: '/alerts/oncall/:id/',
  access: 'can_manage_alerttemplates',
  summary: 'Change an on-call schedule. With `modified`, refused if another user has saved since',
  params: IdParams,
  body: OnCallForm.extend({ modified: z.string().optional() }),
  volatile: ['now', 'users', 'used_by'],
  response: OnCallSchedule,
})

export const deleteOnCallSchedule = endpoint({
  method: 'DELETE',
  path: '/alerts/oncall/:id/',
  access: 'can_manage_alerttemplates',
  summary: 'Delete an on-call schedule that no escalation chain uses',
  params: IdParams,
  response: Nothing,
})
