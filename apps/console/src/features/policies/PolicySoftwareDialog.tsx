import { Button, Checkbox, Select, TextInput } from '@mantine/core'
import { PackageName } from '@muster/contract/agent/patches'
import { Platform } from '@muster/contract/fields'
import type { PolicySoftware } from '@muster/contract/policies/policy-content'
import type { WantedState } from '@muster/rules/agents/wanted-software'
import { useState } from 'react'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { platformName } from '@muster/rules/agents/available-actions'

const STATES: readonly { value: WantedState; label: string }[] = [
  { value: 'present', label: 'Installed, in any version' },
  { value: 'latest', label: 'Installed, in the newest version' },
  { value: 'absent', label: 'Not installed' },
]

interface PolicySoftwareDialogProps {
  /** Undefined = a new item. */
  start: PolicySoftware | undefined
  /** The other items of the policy. */
  others: readonly PolicySoftware[]
  save: (item: PolicySoftware) => void
  close: () => void
}

/** A package that machines have or do not have. */
export function PolicySoftwareDialog({ start, others, save, close }: PolicySoftwareDialogProps) {
  const [text, setText] = useState(start?.names.join(', ') ?? '')
  const [state, setState] = useState<WantedState>(start?.state ?? 'present')
  const [platforms, setPlatforms] = useState<readonly Platform[]>(start?.platforms ?? Platform.options)
  const [inWindows, setInWindows] = useState(start?.in_windows ?? false)
  const names = text.split(/[\s,]+/).filter((name) => name !== '')
  const why = findProblem(names, platforms, others)
  return (
    <Dialog
      title={start === undefined ? 'Add software' : 'Edit software'}
      onClose={close}
      why={why}
      footer={
        <>
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button
            disabled={why !== undefined}
            onClick={() => {
              save({ names, state, platforms: [...platforms], in_windows: inWindows })
              close()
            }}
          >
            {start === undefined ? 'Add' : 'Save'}
          </Button>
        </>
      }
    >
      <div className="stack">
        <TextInput
          label="Package"
          description="Its name in the package manager; further names after a comma"
          placeholder="firefox, Mozilla.Firefox"
          classNames={{ input: 'mono' }}
          maxLength={500}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
        />
        <Select
          label="Wanted"
          description="Machines are compared once an hour. A failed change is tried again after a day."
          data={STATES}
          allowDeselect={false}
          value={state}
          onChange={(value) => value !== null && setState(value)}
        />
        <Checkbox.Group
          label="Systems"
          value={[...platforms]}
          onChange={(chosen) => setPlatforms(Platform.options.filter((plat) => chosen.includes(plat)))}
        >
          <div className="stack">
            {Platform.options.map((plat) => (
              <Checkbox key={plat} value={plat} label={platformName(plat)} />
            ))}
          </div>
        </Checkbox.Group>
        <Checkbox
          label="Only while a maintenance window is open"
          description="Each machine waits for its window. Machines without one are skipped."
          checked={inWindows}
          onChange={({ currentTarget }) => setInWindows(currentTarget.checked)}
        />
      </div>
    </Dialog>
  )
}

const MAX_NAMES = 5

function findProblem(
  names: readonly string[],
  platforms: readonly Platform[],
  others: readonly PolicySoftware[],
): string | undefined {
  if (names.length === 0) return 'Enter the name of a package.'
  if (names.length > MAX_NAMES) return `Enter at most ${MAX_NAMES} names.`
  const wrong = names.find((name) => !PackageName.safeParse(name).success)
  if (wrong !== undefined) return `"${wrong}" is not the name of a package.`
  const first = names[0]?.toLowerCase()
  if (others.some((one) => one.names[0]?.toLowerCase() === first))
    return 'The policy already has this package.'
  return platforms.length === 0 ? 'Choose a system.' : undefined
}
