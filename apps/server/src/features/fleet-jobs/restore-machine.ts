import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import { changeAgent } from '../agents/change-agent.ts'
import type { AgentWithSite } from '../agents/queries.ts'
import type { AgentRequest } from '../agents/request-agent.ts'
import { changeTags } from '../tags/set-tags.ts'
import { restoreFile } from './file-action.ts'
import type { BeforeJob } from './kept-values.ts'
import { restoreDecisions } from './patch-action.ts'
import { restorePushed } from './push-action.ts'
import { restoreRegistry } from './registry-action.ts'
import { restoreService } from './service-action.ts'

/** Restores what was there before a job. Returns what was done, as words. */
export async function restoreMachine(
  ctx: Context,
  request: AgentRequest,
  { agent, before }: { agent: AgentWithSite; before: BeforeJob },
): Promise<string> {
  const { caller, agentId } = request
  if ('service' in before) return restoreService(ctx, request, before.service)
  if ('registry' in before) return restoreRegistry(ctx, request, before.registry)
  if ('pushed' in before) return restorePushed(ctx, request, before.pushed)
  if ('file' in before) return restoreFile(ctx, request, before.file)
  if ('patches' in before) return restoreDecisions(ctx, caller, { machine: agent, before: before.patches })
  if ('lost' in before) throw new AppError('conflict', before.lost)
  if ('tags' in before) {
    const { added, removed } = before.tags
    await changeTags(ctx, caller, { agents: [agentId], add: removed, remove: added })
  } else if ('maintenance' in before)
    await changeAgent(ctx, caller, agentId, { maintenance_mode: before.maintenance })
  else if ('site' in before) await changeAgent(ctx, caller, agentId, { site: before.site })
  else await changeAgent(ctx, caller, agentId, { custom_fields: [before] })
  return 'Restored'
}
