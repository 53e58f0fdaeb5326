import { TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { userColor } from '../../app/shell/look.ts'
import classes from './ColorFields.module.css'
import { COLOR_SETTINGS, type ColorSetting, type PreferencesForm } from './preferences-form.ts'

const LABELS: Record<ColorSetting, string> = {
  dash_positive_color: 'Good',
  dash_negative_color: 'Bad',
  dash_warning_color: 'Warning',
  dash_info_color: 'Information',
  loading_bar_color: 'Loading bar',
}

/** The user's own colours, by name or as #rrggbb, each with what it looks like. */
export function ColorFields({ form }: { form: UseFormReturnType<PreferencesForm> }) {
  return (
    <fieldset className={classes.fields}>
      <legend>Colours</legend>
      {COLOR_SETTINGS.map((setting) => (
        <TextInput
          key={setting}
          label={LABELS[setting]}
          spellCheck={false}
          autoComplete="off"
          leftSection={
            <span
              className={classes.swatch}
              style={{ background: userColor(form.values[setting], setting) }}
            />
          }
          {...form.getInputProps(setting)}
        />
      ))}
    </fieldset>
  )
}
