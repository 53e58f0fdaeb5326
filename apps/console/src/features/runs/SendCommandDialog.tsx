import { Select, TextInput, Textarea } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import { sendCommand } from '@muster/contract/api/runs'
import type { DashInfo } from '@muster/contract/api/system'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { GuardedDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { call } from '../../app/api/api.ts'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { useDashInfo } from '../../app/api/queries.ts'
import { AgentDialog } from '../agents/AgentItemDialog.tsx'
import { RunDialog } from './RunDialog.tsx'
import { RunOptions } from './RunOptions.tsx'
import {
  type CommandForm,
  checkCommandForm,
  fitShell,
  newCommandForm,
  shellsOf,
  toCommandBody,
} from './run-form.ts'

/** Sends a command to the machine in the address, and shows its output live. */
export function SendCommandDialog({ item, close }: AddressedDialogProps) {
  return (
    <GuardedDialog title="Send command" needs="can_send_cmd" onClose={close}>
      <AgentDialog title="Send command" agentId={item} onClose={close} size="lg">
        {(agent) => <CommandDialog agent={agent} close={close} />}
      </AgentDialog>
    </GuardedDialog>
  )
}

function CommandDialog({ agent, close }: { agent: AgentDetail; close: () => void }) {
  const [entered, setForm] = useState<CommandForm>(() => newCommandForm(agent))
  const form = fitShell(entered, agent)
  const [runId, setRunId] = useState<number>()
  const placeholders = useDashInfo()?.run_cmd_placeholder_text
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      call(sendCommand, { params: { agent_id: agent.agent_id }, body: toCommandBody(form, agent.plat) }),
    meta: { errorsShown: true },
    onSuccess: ({ id }) => setRunId(id),
  })
  const errors = checkCommandForm(form)
  const change = (values: Partial<CommandForm>) => setForm((old) => ({ ...old, ...values }))
  return (
    <RunDialog
      title={`Send command to ${agent.hostname}`}
      agent={agent}
      runId={runId}
      canStart={Object.keys(errors).length === 0 && !isPending}
      why={errors.cmd ?? errors.customShell ?? errors.userName ?? errors.timeout}
      starting={isPending}
      error={error}
      startLabel="Send command"
      onStart={() => mutate()}
      onClose={close}
    >
      <Textarea
        label="Command"
        placeholder={placeholderOf(form.shell, placeholders)}
        autosize
        minRows={2}
        maxRows={10}
        maxLength={100_000}
        value={form.cmd}
        onChange={(event) => change({ cmd: event.currentTarget.value })}
        classNames={{ input: 'mono' }}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
      />
      <RunOptions agent={agent} form={form} errors={errors} onChange={change}>
        <Select
          label="Shell"
          data={shellsOf(agent.plat)}
          allowDeselect={false}
          value={form.shell}
          onChange={(shell) => shell !== null && change({ shell })}
        />
        {form.shell === 'custom' && (
          <TextInput
            label="Shell path"
            placeholder={agent.plat === 'windows' ? 'C:\\Program Files\\…' : '/usr/bin/zsh'}
            classNames={{ input: 'mono' }}
            maxLength={1000}
            value={form.customShell}
            error={errors.customShell}
            onChange={(event) => change({ customShell: event.currentTarget.value })}
          />
        )}
      </RunOptions>
    </RunDialog>
  )
}

function placeholderOf(shell: string, texts: DashInfo['run_cmd_placeholder_text'] | undefined): string {
  if (shell === 'cmd') return texts?.cmd ?? ''
  return (shell === 'powershell' ? texts?.powershell : texts?.shell) ?? ''
}
