import { TextInput } from '@mantine/core'
import { PackageName } from '@muster/contract/agent/patches'
import type { AgentDetail } from '@muster/contract/api/agents'
import { installSoftware } from '@muster/contract/api/software'
import { describePackageChange, type PackageChange } from '@muster/rules/agents/package-change'
import { useState } from 'react'
import { call } from '../../app/api/api.ts'
import { InstallDialog } from '../runs/InstallDialog.tsx'

export interface WantedChange {
  change: PackageChange
  /** Empty = the user enters it. */
  name: string
}

interface ChangePackageDialogProps extends WantedChange {
  agent: Pick<AgentDetail, 'agent_id' | 'hostname'>
  onClose: () => void
}

const LABELS: Record<PackageChange, string> = { install: 'Install', upgrade: 'Upgrade', remove: 'Remove' }
const MESSAGES: Record<PackageChange, string> = {
  install: 'The package manager of the machine installs it with what it needs.',
  upgrade: 'A running program may stop for a moment. A started upgrade cannot be stopped.',
  remove: 'Settings and data of the program may stay. Nothing is removed if other packages need it.',
}

/** Installs, upgrades or removes a package of a machine, and shows the output. */
export function ChangePackageDialog({ agent, change, name, onClose }: ChangePackageDialogProps) {
  const [entered, setEntered] = useState(name)
  const wanted = entered.trim()
  return (
    <InstallDialog
      title={
        name === ''
          ? `Install a package on ${agent.hostname}`
          : `${describePackageChange(change, [name])} on ${agent.hostname}?`
      }
      message={
        <div className="stack">
          {name === '' && (
            <TextInput
              label="Package"
              description="Its name in the package manager of the machine"
              classNames={{ input: 'mono' }}
              maxLength={200}
              value={entered}
              onChange={({ currentTarget }) => setEntered(currentTarget.value)}
              autoComplete="off"
              spellCheck={false}
              data-autofocus
            />
          )}
          <p>{MESSAGES[change]}</p>
        </div>
      }
      confirmLabel={LABELS[change]}
      why={PackageName.safeParse(wanted).success ? undefined : 'Enter the name of a package.'}
      start={() =>
        call(installSoftware, { params: { agent_id: agent.agent_id }, body: { do: change, name: wanted } })
      }
      onClose={onClose}
    />
  )
}
