import type { Endpoint } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import { onlyLooks, SERVER_MACHINE_REASON } from '@muster/rules/agents/server-machine'
import type { Db } from '../../platform/database/database.ts'
import { visibleTo } from '../../platform/database/visible-to.ts'
import type { Caller, Scope } from '../../platform/http/caller.ts'
import type { AgentWithSite } from './queries.ts'
import { requireAgent } from './require-agent.ts'

// The agent on the machine of a server runs as the server's user, so it reaches the encryption key and the database. Its
// facts and results are for everyone who sees the machine; everything else there is for superusers. Requests that name
// the machine are refused in `route()`, before any feature, and what is not listed here is refused.

/** Requests that may name the machine, because they do nothing on it. */
const HARMLESS: ReadonlySet<string> = new Set([
  'POST /agents/search/',
  'PATCH /logs/audit/',
  'PATCH /alerts/',
  'PATCH /alerts/causes/',
  'PATCH /alerts/counts/',
  'POST /alerts/',
  'POST /agents/notes/',
  // Opens an address in the browser.
  'PATCH /core/urlaction/run/',
  'POST /views/',
  'PUT /views/:id/',
  // Jobs leave the machine out, and say so.
  'POST /jobs/plan/',
  'POST /jobs/',
  'POST /jobs/repeating/',
  'PUT /jobs/repeating/:id/',
  'POST /agents/actions/bulk/',
  // Tasks and checks of policies wait for a superuser: see features/tasks/approvals.ts.
  'POST /automation/policies/',
  'PUT /automation/policies/:id/',
  'POST /automation/plan/',
  'POST /automation/places/:level/:id/plan/',
])

interface Named {
  params: unknown
  body: unknown
}

/** Refuses a request that names the machine of a server, unless its caller is a superuser or it only looks. */
export async function refuseOnServerMachines(
  db: Db,
  caller: Caller,
  { method, path, access }: Pick<Endpoint, 'method' | 'path' | 'access'>,
  named: Named,
): Promise<void> {
  if (caller.isSuperuser || HARMLESS.has(`${method} ${path}`)) return
  if (method === 'GET' && onlyLooks(access)) return
  if (named.body === undefined && !/:(agent_id|level)\b/.test(path)) return
  const text = JSON.stringify([named.params, named.body])
  const machines = await findServerMachines(db, caller)
  if (machines.some((agentId) => text.includes(JSON.stringify(agentId)))) refuse()
}

/** A machine is not revealed to callers who may not see it. */
async function findServerMachines(db: Db, caller: { scope: Scope }): Promise<string[]> {
  const rows = await db
    .selectFrom('agents')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .select('agent_id')
    .where('server_machine', '=', 1)
    .where(visibleTo(caller))
    .execute()
  return rows.map(({ agent_id }) => agent_id)
}

/** Throws if this is the machine of a server, and nobody stands behind the request who is a superuser. */
export function refuseOnServerMachine(
  { server_machine }: { server_machine: 0 | 1 | boolean },
  caller: Pick<Caller, 'isSuperuser'>,
): void {
  if (Boolean(server_machine) && !caller.isSuperuser) refuse()
}

/** Returns the machine for a change or an action. Throws `not_found`, or `not_allowed` on the machine of a server. */
export async function requireAgentToAct(
  db: Db,
  agentId: string,
  caller: Pick<Caller, 'scope' | 'isSuperuser'>,
): Promise<AgentWithSite> {
  const agent = await requireAgent(db, agentId, caller)
  refuseOnServerMachine(agent, caller)
  return agent
}

function refuse(): never {
  throw new AppError('not_allowed', SERVER_MACHINE_REASON)
}
