import type { AgentDetail } from '@muster/contract/api/agents'
import { endProcess, type Process } from '@muster/contract/api/processes'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { FormError } from '../../../app/dialogs/FormDialog.tsx'
import { call } from '../../../app/api/api.ts'
import { notifyDone } from '../../../app/shell/notify.ts'
import { ConfirmDialog } from '../../../ui/dialog/ConfirmDialog.tsx'

export interface EndWish {
  force: boolean
  tree: boolean
}

interface EndProcessDialogProps {
  agent: Pick<AgentDetail, 'agent_id' | 'hostname'>
  process: Process
  wish: EndWish
  onClose: () => void
}

/** Names the process and the machine, and says in its place when the process went on. */
export function EndProcessDialog({ agent, process, wish, onClose }: EndProcessDialogProps) {
  const { name, pid, start, username } = process
  const [left, setLeft] = useState<number>()
  const force = wish.force || left !== undefined
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => {
      const query = { start, force: force ? 'true' : 'false', tree: wish.tree ? 'true' : 'false' } as const
      return call(endProcess, { params: { agent_id: agent.agent_id, pid }, query })
    },
    meta: { errorsShown: true },
    onSuccess: (answer) => {
      if (answer.left.length > 0) return setLeft(answer.left.length)
      notifyDone(answer.ended > 1 ? `${name} and ${answer.ended - 1} more ended.` : `${name} ended.`)
      onClose()
      return undefined
    },
  })
  const verb = force ? 'Kill' : 'End'
  return (
    <ConfirmDialog
      title={`${verb} ${name} on ${agent.hostname}?`}
      message={
        <>
          {error !== null && <FormError error={error} />}
          {left !== undefined && (
            <p role="alert">
              {left === 1 && !wish.tree
                ? `${name} was asked to end and has not. It can be killed.`
                : `${left} processes were asked to end and have not. They can be killed.`}
            </p>
          )}
          <p>
            Process {pid} of {username || 'an unknown user'}
            {wish.tree && ', with all that it has started'}.{' '}
            {force
              ? 'It is ended at once: what it has not saved is lost.'
              : 'It is asked to end, and may save its work first.'}
          </p>
        </>
      }
      confirmLabel={verb}
      danger
      busy={isPending}
      onConfirm={() => mutate()}
      onClose={onClose}
    />
  )
}
