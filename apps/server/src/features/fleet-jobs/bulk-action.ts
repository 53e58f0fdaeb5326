import type { bulkAction } from '@muster/contract/api/fleet-jobs'
import type { Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import { JobDraft } from '@muster/contract/fleet-jobs/job-draft'

type Body = Parsed<typeof bulkAction>['body']

/** Reads a bulk action of the field's API as the draft of a job. */
export function readBulkAction(body: Body): JobDraft {
  const { monType, osType, offlineAgents } = body
  const read = JobDraft.safeParse({
    target: targetOf(body),
    monitoring_type: monType === 'all' ? null : monType === 'servers' ? 'server' : 'workstation',
    plat: body.mode === 'patch' ? 'windows' : osType === 'all' ? null : osType,
    action: actionOf(body),
    schedule: { offline: offlineAgents ? 'keep' : 'skip' },
  })
  if (read.success) return read.data
  throw new AppError('invalid', read.error.issues[0]?.message ?? 'This action is incomplete.')
}

function targetOf({ target, client, site, agents }: Body): object {
  switch (target) {
    case 'all':
      return { by: 'all' }
    case 'client':
    case 'site': {
      const id = target === 'client' ? client : site
      if (id == null) refuse(target, `Choose a ${target}.`)
      return { by: target, id }
    }
    case 'agents':
      return { by: 'agents', agents: agents ?? [] }
  }
}

function actionOf(body: Body): object {
  const { timeout, args, env_vars, run_as_user } = body
  const options = {
    ...(timeout !== undefined && { timeout }),
    ...(env_vars !== undefined && { env_vars }),
    ...(run_as_user !== undefined && { run_as_user }),
  }
  switch (body.mode) {
    case 'command': {
      const { shell = '', custom_shell = null, cmd = '' } = body
      const isKnown = ['bash', 'sh', 'cmd', 'powershell', 'custom'].includes(shell)
      return {
        type: 'command',
        // The field sends the path of a shell here.
        shell: isKnown ? shell : 'custom',
        custom_shell: isKnown ? custom_shell : shell,
        cmd,
        ...options,
      }
    }
    case 'script':
      if (body.script == null) refuse('script', 'Choose a script.')
      return {
        type: 'script',
        script: body.script,
        ...(args !== undefined && { args }),
        ...(body.custom_field != null && { save_to_field: body.custom_field }),
        ...(body.collector_all_output !== undefined && { save_all_output: body.collector_all_output }),
        ...(body.save_to_agent_note !== undefined && { save_as_note: body.save_to_agent_note }),
        ...options,
      }
    case 'patch':
      return { type: body.patchMode === 'install' ? 'install_patches' : 'scan_patches' }
  }
}

function refuse(field: string, sentence: string): never {
  throw new AppError('invalid', sentence, { fields: { [field]: [sentence] } })
}
