import { findVariables } from '@muster/rules/agents/script-variables'
import { ListField } from '../../ui/inputs/ListField.tsx'

interface ArgumentsFieldProps {
  label?: string
  description?: string | undefined
  values: readonly string[]
  onChange: (values: string[]) => void
}

/** Arguments of a script. Every user of a machine can read the command lines of its processes. */
export function ArgumentsField({ label = 'Arguments', description, values, onChange }: ArgumentsFieldProps) {
  const hasSecret = values.some((value) => findVariables(value).some(({ scope }) => scope === 'global'))
  return (
    <ListField
      label={label}
      noun="argument"
      {...(description === undefined || description === '' ? {} : { description })}
      {...(hasSecret
        ? { warning: 'Keys in arguments are visible on the machine. Use environment variables.' }
        : {})}
      values={values}
      onChange={onChange}
    />
  )
}
