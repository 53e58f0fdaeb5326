import { Checkbox, type CheckboxProps } from '@mantine/core'
import type { InstallFlags } from '@muster/contract/api/installers'
import classes from './InstallAgent.module.css'

interface FlagFieldsProps {
  type: 'server' | 'workstation'
  propsOf: (name: keyof InstallFlags) => CheckboxProps
}

/** Settings of Windows that the installer changes besides the agent. A server does not sleep anyway. */
export function FlagFields({ type, propsOf }: FlagFieldsProps) {
  return (
    <fieldset className={classes.flags}>
      <legend className={classes.label}>Windows settings</legend>
      <Checkbox size="xs" label="Allow Remote Desktop" {...propsOf('rdp')} />
      <Checkbox size="xs" label="Answer pings" {...propsOf('ping')} />
      {type === 'workstation' && (
        <Checkbox size="xs" label="Never sleep on mains power" {...propsOf('power')} />
      )}
    </fieldset>
  )
}
