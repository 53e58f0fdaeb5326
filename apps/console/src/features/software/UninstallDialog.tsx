import { Checkbox, NumberInput, TextInput } from '@mantine/core'
import '@mantine/core/styles/NumberInput.css'
import type { AgentDetail } from '@muster/contract/api/agents'
import { uninstallSoftware } from '@muster/contract/api/software'
import { quietUninstall } from '@muster/rules/agents/uninstall-command'
import { useState } from 'react'
import { call } from '../../app/api/api.ts'
import { InstallDialog } from '../runs/InstallDialog.tsx'

interface UninstallDialogProps {
  agent: Pick<AgentDetail, 'agent_id' | 'hostname'>
  name: string
  /** As the machine reports it. */
  command: string
  onClose: () => void
}

const DEFAULT_TIMEOUT_S = 1800

/** Removes a program by its own uninstall command. */
export function UninstallDialog({ agent, name, command, onClose }: UninstallDialogProps) {
  const [line, setLine] = useState(quietUninstall(command))
  const [asUser, setAsUser] = useState(false)
  const [timeout, setTimeout] = useState<number | string>(DEFAULT_TIMEOUT_S)
  return (
    <InstallDialog
      title={`Remove ${name} from ${agent.hostname}?`}
      message={
        <div className="stack">
          <TextInput
            label="Command"
            description="As the machine reports it. A command that asks questions does not end."
            classNames={{ input: 'mono' }}
            maxLength={2000}
            value={line}
            onChange={({ currentTarget }) => setLine(currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
          />
          <NumberInput
            label="Time limit"
            suffix=" s"
            min={60}
            max={86_400}
            value={timeout}
            onChange={setTimeout}
          />
          <Checkbox
            label="Run as the signed-in user"
            checked={asUser}
            onChange={({ currentTarget }) => setAsUser(currentTarget.checked)}
          />
        </div>
      }
      confirmLabel="Remove"
      why={
        line.trim() === ''
          ? 'Enter a command.'
          : typeof timeout === 'string'
            ? 'Enter a time limit.'
            : undefined
      }
      start={() =>
        call(uninstallSoftware, {
          params: { agent_id: agent.agent_id },
          body: { name, command: line.trim(), run_as_user: asUser, timeout: Number(timeout) },
        })
      }
      onClose={onClose}
    />
  )
}
