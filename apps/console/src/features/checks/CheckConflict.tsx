import { Alert, Button } from '@mantine/core'
import '@mantine/core/styles/Alert.css'
import type { Check } from '@muster/contract/api/checks'
import { type CheckForm, readCheckForm } from './check-form.ts'
import { fieldLabel } from './field-labels.ts'

interface CheckConflictProps {
  /** As it was when the form was opened. */
  before: Check
  now: Check
  onReload: () => void
}

/** Somebody else saved in between: what they changed, and a way to go on from there. */
export function CheckConflict({ before, now, onReload }: CheckConflictProps) {
  const [old, fresh] = [readNamed(before), readNamed(now)]
  const changed = Object.keys(fresh).filter((name) => textOf(old[name]) !== textOf(fresh[name]))
  return (
    <Alert color="warning" mb="md" title="Somebody else has changed this check">
      {changed.length > 0 && (
        <ul>
          {changed.map((name) => (
            <li key={name}>
              {fieldLabel(name)}: {textOf(old[name])} → {textOf(fresh[name])}
            </li>
          ))}
        </ul>
      )}
      <Button variant="default" mt="sm" onClick={onReload}>
        Go on with the new values
      </Button>
    </Alert>
  )
}

/** The form with what the check depends on by its name. */
const readNamed = (check: Check): CheckForm => ({
  ...readCheckForm(check),
  depends_on: check.dependency?.readable_desc ?? check.depends_on,
})

function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'empty'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.length === 0 ? 'empty' : value.map(textOf).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number)
}
