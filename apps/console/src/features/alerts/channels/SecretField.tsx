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
  /** The server has a stored value and never returns it. */
  kept: boolean
  /** May be empty. */
  optional: boolean
  onBlur?: () => void
}

/** A secret. A stored value is never shown, only replaced, or removed where that is possible. */
export function SecretField(props: SecretFieldProps) {
  const { label, description, placeholder, value, onChange, error, kept, optional, onBlur } = props
  const isKept = kept && value === MASKED_SECRET
  const isRemoved = kept && value === ''
  const change = isKept
    ? { label: `Remove: ${label}`, icon: IconTrash, to: '' }
    : { label: `Keep stored value: ${label}`, icon: IconArrowBackUp, to: MASKED_SECRET }
  const ChangeIcon = change.icon
  return (
    <div className={classes.secret}>
      <PasswordInput
        className={classes.grow ?? ''}
        label={label}
        description={isRemoved ? 'The stored value is removed when you save.' : description}
        placeholder={isKept ? 'A value is stored. Type to replace it.' : placeholder}
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
        <Tooltip label={isKept ? 'Remove' : 'Keep stored value'}>
          <ActionIcon size="input-sm" aria-label={change.label} onClick={() => onChange(change.to)}>
            <ChangeIcon size={16} stroke={1.75} />
          </ActionIcon>
        </Tooltip>
      )}
    </div>
  )
}
