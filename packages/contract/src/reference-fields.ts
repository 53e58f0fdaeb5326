import { z } from 'zod'
import type { Method } from './endpoint.ts'

/** Values that ask for nothing. A value that asks for an effect that does not exist is refused. */
const Off = z.union([z.literal(false), z.literal(0), z.literal(''), z.null(), z.array(z.unknown()).max(0)])
/** Values that change nothing here, whatever they are. */
const Any = z.unknown()
const AlertFlags = { email_alert: Off, text_alert: Off, dashboard_alert: Off }

/**
 * Writes that programs for the field's reference send in a form that our schemas do not declare, with the fields that
 * have no effect here. The response names those in `X-Muster-Without-Effect`. In each of these bodies, null for a text
 * or a list is an empty one, and 0 and 1 are flags: docs/decisions/0134-bodies-of-the-reference.md.
 */
const bodies: Partial<Record<`${Method} ${string}`, Record<string, z.ZodType>>> = {
  'POST /accounts/users/': {},
  'PUT /accounts/:id/users/': {},
  'PUT /agents/:agent_id/': {},
  'POST /agents/:agent_id/cmd/': {},
  'POST /agents/:agent_id/runscript/': {
    emails: Any,
    emailMode: Any,
    custom_field: Off,
    save_all_output: Any,
    run_on_server: Off,
  },
  'POST /agents/actions/bulk/': {},
  // The address of the server is its public URL, and the names of packages are its own.
  'POST /agents/installer/': { api: Any, fileName: Any },
  'PUT /alerts/:id/': { id: Any },
  'POST /alerts/templates/': { email_from: Off },
  'PUT /alerts/templates/:id/': { email_from: Off },
  'POST /automation/policies/': {},
  'PUT /automation/policies/:id/': {},
  'POST /checks/': AlertFlags,
  'PUT /checks/:id/': AlertFlags,
  'POST /clients/': {},
  // The form of a new client, where `site` is the first one.
  'PUT /clients/:id/': { site: z.object({ name: Off }) },
  'POST /clients/deployments/': {},
  'POST /clients/sites/': {},
  'PUT /clients/sites/:id/': {},
  'POST /core/customfields/': {},
  'PUT /core/customfields/:id/': {},
  'POST /core/serverscript/test/': { run_as_user: Off },
  'POST /core/urlaction/': {
    action_type: z.literal('web'),
    rest_method: Any,
    rest_body: Any,
    rest_headers: Any,
  },
  'PUT /core/urlaction/:id/': {
    action_type: z.literal('web'),
    rest_method: Any,
    rest_body: Any,
    rest_headers: Any,
  },
  'POST /scripts/': { guid: Any, script_type: z.literal('userdefined'), script_hash: Any },
  'PUT /scripts/:id/': { guid: Any },
  'POST /scripts/:agent_id/test/': {},
  'POST /scripts/snippets/': {},
  'PUT /scripts/snippets/:id/': {},
  'POST /tasks/': AlertFlags,
  'PUT /tasks/:id/': AlertFlags,
}

export const REFERENCE_BODIES: ReadonlyMap<string, Record<string, z.ZodType>> = new Map(
  Object.entries(bodies).map(([call, fields]) => [call, fields ?? {}]),
)
