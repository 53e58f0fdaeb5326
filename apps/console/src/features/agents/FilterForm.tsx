import { Button, Checkbox, Group, Radio, Stack } from '@mantine/core'
import '@mantine/core/styles/Radio.css'
import '@mantine/core/styles/Fieldset.css'
import type { SearchFlag } from '@muster/rules/search/search-tree'
import { useState } from 'react'
import { CONDITION_FLAGS, type FilterChoice, PRESENCE_FLAGS } from './search-flags.ts'

interface FilterFormProps {
  start: FilterChoice
  onApply: (choice: FilterChoice) => void
}

const ANY = 'any'

/** Status and conditions of the machines. */
export function FilterForm({ start, onApply }: FilterFormProps) {
  const [presence, setPresence] = useState<string>(start.presence ?? ANY)
  const [conditions, setConditions] = useState<readonly SearchFlag[]>(start.conditions)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onApply({ presence: PRESENCE_FLAGS.find(({ flag }) => flag === presence)?.flag, conditions })
      }}
    >
      <Group align="flex-start" gap="xl" wrap="nowrap">
        <Radio.Group label="Status" value={presence} onChange={setPresence}>
          <Stack gap="sm" mt="sm">
            <Radio size="xs" value={ANY} label="Any" />
            {PRESENCE_FLAGS.map(({ flag, label }) => (
              <Radio key={flag} size="xs" value={flag} label={label} />
            ))}
          </Stack>
        </Radio.Group>
        <Checkbox.Group
          label="Conditions"
          value={[...conditions]}
          onChange={(values) =>
            setConditions(CONDITION_FLAGS.map(({ flag }) => flag).filter((flag) => values.includes(flag)))
          }
        >
          <Stack gap="sm" mt="sm">
            {CONDITION_FLAGS.map(({ flag, label }) => (
              <Checkbox key={flag} size="xs" value={flag} label={label} />
            ))}
          </Stack>
        </Checkbox.Group>
      </Group>
      <Group justify="flex-end" gap="sm" mt="lg">
        <Button variant="default" onClick={() => onApply({ presence: undefined, conditions: [] })}>
          Clear
        </Button>
        <Button type="submit">Apply</Button>
      </Group>
    </form>
  )
}
