import { ActionIcon, PasswordInput, Tooltip } from '@mantine/core'
import { MASKED_SECRET } from '@muster/contract/api/alert-channels'
import { IconArrowBackUp, IconTrash } from '@tabler/icons-react'
import classes from './ChannelForm.module.css'

interface SecretFieldProps {
  label: string
  description?: string | undefined
  placeholder?: string | undefined
  value: string
  onChange: (value: string) => void
  error?: string | undefined
  /** The server keeps one; it never tells which. */
  kept: boolean
  /** It may also be none. */
  optional: boolean
  onBlur?: () => void
}

/** A secret: one that is kept is never shown, only replaced, or taken away where that is possible. */
export function SecretField(props: SecretFieldProps) {
  const { label, description, placeholder, value, onChange, error, kept, optional, onBlur } = props
  const isKept = kept && value === MASKED_SECRET
  const isRemoved = kept && value === ''
  const change = isKept
    ? { label: `Remove: ${label}`, icon: IconTrash, to: '' }
    : { label: `Keep the old one: ${label}`, icon: IconArrowBackUp, to: MASKED_SECRET }
  const ChangeIcon = change.icon
  return (
    <div className={classes.secret}>
      <PasswordInput
        className={classes.grow ?? ''}
        label={label}
        description={isRemoved ? 'The one that is kept is removed when you save.' : description}
        placeholder={isKept ? 'One is kept. Type to replace it.' : placeholder}
        classNames={{ innerInput: 'mono' }}
        autoComplete="new-password"
        spellCheck={false}
        maxLength={2000}
        value={isKept ? '' : value}
        error={error}
        onChange={(event) => {
          const typed = event.currentTarget.value
          onChange(typed === '' && kept && !optional ? MASKED_SECRET : typed)
        }}
        onBlur={onBlur}
      />
      {kept && (isKept ? optional : true) && (
        <Tooltip label={isKept ? 'Remove it' : 'Keep the old one'}>
          <ActionIcon size="input-sm" aria-label={change.label} onClick={() => onChange(change.to)}>
            <ChangeIcon size={16} stroke={1.75} />
          </ActionIcon>
        </Tooltip>
      )}
    </div>
  )
}
