import type { CommandInput } from '@muster/contract/agent/commands'
import { readPushed } from '@muster/contract/agent/push-file'
import type { JobAction } from '@muster/contract/fleet-jobs/job-draft'
import { rawOfText } from '@muster/rules/agents/raw-path'
import { formatFileSize } from '@muster/rules/text/units'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import { type AgentRequest, requestAgent } from '../agents/request-agent.ts'
import { OUTPUT_CAP_BYTES } from '../runs/store-run-reports.ts'
import { requireStoredFile } from '../software/package-files/write-package-file.ts'
import type { DescribedAction } from './actions.ts'
import { refuseFile } from './file-action.ts'
import type { BeforeJob } from './kept-values.ts'

type Action = Extract<JobAction, { type: 'push_file' }>

export interface PushBefore {
  path: string
  /** The job by which the machine keeps the former file. */
  job: number
}

export async function describePush(db: Db, action: Action): Promise<DescribedAction> {
  const file = await requireStoredFile(db, action.file)
  const old = await db.selectFrom('agents').select('agent_id').where('pushes_files', '=', 0).execute()
  const tooOld = new Set(old.map(({ agent_id }) => agent_id))
  return {
    text: describe(file, action),
    unsuitable: ({ agent_id, plat }) =>
      refuseFile(action, plat) ??
      (tooOld.has(agent_id) ? 'The agent is too old to write files of jobs. Update it.' : undefined),
  }
}

const describe = ({ file_name, bytes }: { file_name: string; bytes: number }, { path }: Action) =>
  `Push the file "${file_name}" (${formatFileSize(bytes)}) to "${path}"`

/** The input of the run of each machine, which gets a token of its own. */
export async function orderPush(
  db: Db,
  action: Action,
  jobId: number,
): Promise<{ label: string; input: Omit<CommandInput<'push-file'>, 'token'> }> {
  const file = await requireStoredFile(db, action.file)
  const { path, mode, owner, overwrite, timeout } = action
  return {
    label: describe(file, action),
    input: {
      path: rawOfText(path),
      bytes: file.bytes,
      sha256: file.sha256,
      mode,
      owner,
      overwrite,
      job: jobId,
      timeout_seconds: timeout,
      output_cap_bytes: OUTPUT_CAP_BYTES,
    },
  }
}

/** The values for undo, by the output of a run; undefined = the run has changed nothing. */
export function readPushBefore(output: string, pushed: PushBefore): BeforeJob | undefined {
  const found = readPushed(output)
  if (found === undefined) return undefined
  return found.undo === 'lost' ? { lost: found.reason } : { pushed }
}

export async function restorePushed(
  ctx: Context,
  request: AgentRequest,
  { path, job }: PushBefore,
): Promise<string> {
  const { state } = await requestAgent(ctx, request, {
    name: 'undo-push',
    input: { job },
    action: 'modify',
    object_type: 'file',
    describe: (answer) => `${answer?.state === 'deleted' ? 'Deleted' : 'Restored'} "${path}"`,
    keep: () => ({ shown_path: path, job }),
  })
  return state === 'deleted' ? 'Deleted' : 'Restored'
}
