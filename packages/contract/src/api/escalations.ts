import { findEscalationProblem } from '@muster/rules/alerts/escalation'
import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { Id, IdParams, Instant, Nothing } from '../fields.ts'
import { NotifiableUser } from './on-call.ts'

export const EscalationStep = z
  .object({
    /** Minutes after the chain starts. */
    after_minutes: z.int().min(0).max(10_080),
    users: z.array(Id).max(50).default([]),
    /** On-call schedules: the user on call at that time. */
    schedules: z.array(Id).max(20).default([]),
    channels: z.array(Id).max(20).default([]),
  })
  .refine(({ users, schedules, channels }) => users.length + schedules.length + channels.length > 0, {
    path: ['users'],
    message: 'Choose who is notified.',
  })
export type EscalationStep = z.infer<typeof EscalationStep>

const fields = {
  name: z.string().trim().min(1, 'A name is needed.').max(100),
  /** In order of time. */
  steps: z
    .array(EscalationStep)
    .min(1, 'Add at least one step.')
    .max(20)
    .superRefine((steps, context) => {
      const problem = findEscalationProblem({ steps, repeat_minutes: 0, repeat_times: 0 })
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
    }),
  /** The last step is repeated after this many minutes; 0 = never. */
  repeat_minutes: z.int().min(0).max(1440).default(0),
  /** At most this often. */
  repeat_times: z.int().min(0).max(100).default(0),
  /** The e-mail channel that sends to users; null = the first one that is enabled. */
  mail_channel: Id.nullable().default(null),
}

/** Recipients of an open alert, notified one step after the other until a user acknowledges it. */
export const EscalationChainForm = z.object(fields)
export type EscalationChainForm = z.infer<typeof EscalationChainForm>

export const EscalationChain = EscalationChainForm.extend({
  id: z.int(),
  /** The names of each step: users, schedules and channels. */
  step_names: z.array(z.array(z.string())),
  /** Alert templates with this chain. */
  used_by: z.array(z.string()),
  modified: z.string(),
})
export type EscalationChain = z.infer<typeof EscalationChain>

/** A notification of an alert. */
export const AlertNotification = z.object({
  at: Instant,
  reason: z.enum(['opened', 'severity_changed', 'repeated', 'escalated', 'resolved']),
  /** The escalation chain; empty = the rules of the channel. */
  chain: z.string(),
  /** Number of its step, from 1. */
  step: z.int().nullable(),
  /** A user; empty = the recipients of the channel. */
  recipient: z.string(),
  /** The on-call schedule that named the user. */
  schedule: z.string(),
  /** Empty = it was not sent. */
  channel: z.string(),
  state: z.enum(['waiting', 'sent', 'failed', 'dropped']),
  ended: Instant.nullable(),
  /** The response of the receiver, or why it was not sent. */
  detail: z.string(),
})
export type AlertNotification = z.infer<typeof AlertNotification>

export const listAlertNotifications = endpoint({
  method: 'GET',
  path: '/alerts/:id/notifications/',
  access: 'can_list_alerts',
  summary: 'List the last 500 notifications of an alert, oldest first: who, when, by what, and the outcome',
  params: IdParams,
  response: z.array(AlertNotification),
})

export const listEscalationChains = endpoint({
  method: 'GET',
  path: '/alerts/escalations/',
  access: 'can_list_alerttemplates',
  summary: 'List escalation chains',
  response: z.array(EscalationChain),
})

export const getEscalationChain = endpoint({
  method: 'GET',
  path: '/alerts/escalations/:id/',
  access: 'can_list_alerttemplates',
  summary: 'One escalation chain',
  params: IdParams,
  response: EscalationChain,
})

export const createEscalationChain = endpoint({
  method: 'POST',
  path: '/alerts/escalations/',
  access: 'can_manage_alerttemplates',
  summary: 'Add an escalation chain',
  body: EscalationChainForm,
  response: EscalationChain,
})

export const editEscalationChain = endpoint({
  method: 'PUT',
  path: '/alerts/escalations/:id/',
  access: 'can_manage_alerttemplates',
  summary:
    'Change an escalation chain, also for alerts that it runs for. With `modified`, refused if another user has saved since',
  params: IdParams,
  body: EscalationChainForm.extend({ modified: z.string().optional() }),
  volatile: ['step_names', 'used_by'],
  response: EscalationChain,
})

export const deleteEscalationChain = endpoint({
  method: 'DELETE',
  path: '/alerts/escalations/:id/',
  access: 'can_manage_alerttemplates',
  summary: 'Delete an escalation chain that no alert template uses',
  params: IdParams,
  response: Nothing,
})

export const listEscalationTargets = endpoint({
  method: 'GET',
  path: '/alerts/escalations/targets/',
  access: 'can_list_alerttemplates',
  summary: 'List the users, on-call schedules and channels that a step may notify',
  response: z.object({
    users: z.array(NotifiableUser),
    schedules: z.array(z.object({ id: z.int(), name: z.string() })),
    channels: z.array(z.object({ id: z.int(), name: z.string(), kind: z.string() })),
  }),
})
