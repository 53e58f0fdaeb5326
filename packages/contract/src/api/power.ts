import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { AgentParams, Instant } from '../fields.ts'
import { MAX_POWER_MESSAGE } from '../agent/power.ts'
import { PendingAction } from './pending-actions.ts'

/** `answered` is false if the link ended before the machine could reply, which is normal. */
const PowerResponse = z.object({ answered: z.boolean() })

/** How the signed-in user is warned. */
export const PowerWarning = z.object({
  /** Shown to the user. */
  message: z.string().trim().max(MAX_POWER_MESSAGE).default(''),
  delay_minutes: z.int().min(1).max(1440).default(5),
  /** Three times, by 15 minutes. */
  may_postpone: z.boolean().default(true),
  /** In place of three times by 15 minutes. */
  postponements: z.int().min(0).max(100).optional(),
  postpone_minutes: z.int().min(1).max(1440).optional(),
  /** Postponements move it no further than this, from the time of the warning. */
  deadline_minutes: z.int().min(1).max(527_040).optional(),
})
export type PowerWarning = z.infer<typeof PowerWarning>

/** Without a signed-in user it is done at once. */
const Warned = {
  body: PowerWarning.extend({
    /** At once, without a warning. */
    now: z.boolean().default(false),
  }),
  /** `planned`: null if it was done at once. */
  response: PowerResponse.extend({ planned: PendingAction.nullable() }),
}

export const rebootAgent = endpoint({
  method: 'POST',
  path: '/agents/:agent_id/reboot/',
  access: 'can_reboot_agents',
  summary: 'Restart a machine, after a warning if a user is signed in',
  params: AgentParams,
  ...Warned,
})

export const shutdownAgent = endpoint({
  method: 'POST',
  path: '/agents/:agent_id/shutdown/',
  access: 'can_reboot_agents',
  summary: 'Shut a machine down, after a warning if a user is signed in',
  params: AgentParams,
  ...Warned,
})

export const signOutUser = endpoint({
  method: 'POST',
  path: '/agents/:agent_id/signout/',
  access: 'can_reboot_agents',
  summary: 'Sign out the user at a machine, after a warning',
  params: AgentParams,
  ...Warned,
})

export const lockScreen = endpoint({
  method: 'POST',
  path: '/agents/:agent_id/lock/',
  access: 'can_reboot_agents',
  summary: 'Lock the screen of the user at a machine',
  params: AgentParams,
  response: PowerResponse,
})

export const wakeAgent = endpoint({
  method: 'POST',
  path: '/agents/:agent_id/wol/',
  access: 'can_send_wol',
  summary: 'Wake a machine with Wake-on-LAN packets from connected machines of its site',
  params: AgentParams,
  /** Names of the machines that sent it. */
  response: z.object({ sent_by: z.array(z.string()) }),
})

export const planReboot = endpoint({
  method: 'PATCH',
  path: '/agents/:agent_id/reboot/',
  access: 'can_reboot_agents',
  summary: 'Schedule a restart of a machine, which replaces an earlier one',
  params: AgentParams,
  body: z.object({
    /** With an offset an instant, without one a time of the machine's own clock. */
    datetime: z
      .string()
      .regex(
        /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?$/,
        'Use a date and time such as 2026-11-22T18:35.',
      ),
    ...PowerWarning.shape,
  }),
  response: PendingAction.extend({ time: Instant, agent: z.string() }),
})
