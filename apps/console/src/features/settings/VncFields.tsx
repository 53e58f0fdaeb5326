import type { UseFormReturnType } from '@mantine/form'
import { whyNoVncTarget } from '@muster/rules/remote/vnc-targets'
import { ListField } from '../../ui/inputs/ListField.tsx'
import classes from './SettingsDialog.module.css'
import type { Values } from './settings-form.ts'

/** To which VNC servers machines may be asked to connect. */
export function VncFields({ form, disabled }: { form: UseFormReturnType<Values>; disabled: boolean }) {
  return (
    <fieldset className={classes.group} disabled={disabled}>
      <legend className={classes.legend}>VNC from machines</legend>
      <p className={classes.note}>
        Whoever may take control opens VNC to these, as each machine sees them: localhost is the machine
        itself. A host is a name, an address, a network such as 10.0.0.0/8, or *. It holds for windows that
        are opened from now on.
      </p>
      <ListField
        label="Allowed"
        noun="target"
        placeholder="10.0.0.0/8:5900-5999"
        values={form.values.vnc_targets}
        onChange={(values) => form.setFieldValue('vnc_targets', values)}
        check={(line) => whyNoVncTarget(line) ?? null}
      />
    </fieldset>
  )
}

export const checkVncTargets = (lines: readonly string[]) =>
  lines.some((line) => whyNoVncTarget(line) !== undefined)
    ? { vnc_targets: 'One of these is no target.' }
    : {}
