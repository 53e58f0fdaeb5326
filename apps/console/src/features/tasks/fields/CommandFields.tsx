import { NumberInput, Select, Textarea, TextInput } from '@mantine/core'
import '@mantine/core/styles/NumberInput.css'
import { shellsOf } from '../../runs/run-form.ts'
import classes from './TaskFields.module.css'
import type { TaskFieldsProps } from './form-props.ts'

export function CommandFields({ agent, form, index }: TaskFieldsProps & { index: number }) {
  const path = (name: string) => `actions.${index}.${name}`
  return (
    <>
      <Textarea
        label="Command"
        classNames={{ input: 'mono' }}
        autosize
        minRows={1}
        maxRows={8}
        maxLength={100_000}
        autoComplete="off"
        spellCheck={false}
        {...form.getInputProps(path('command'))}
      />
      <div className={classes.pair}>
        <Select
          label="Shell"
          data={shellsOf(agent.plat)}
          allowDeselect={false}
          {...form.getInputProps(path('shell'))}
        />
        <Timeout form={form} name={path('timeout')} />
      </div>
      {form.values.actions[index]?.shell === 'custom' && (
        <TextInput
          label="Path of the shell"
          classNames={{ input: 'mono' }}
          maxLength={1000}
          {...form.getInputProps(path('custom_shell'))}
        />
      )}
    </>
  )
}

export function Timeout({ form, name }: Pick<TaskFieldsProps, 'form'> & { name: string }) {
  return (
    <NumberInput
      label="Time limit"
      suffix=" s"
      allowDecimal={false}
      clampBehavior="none"
      {...form.getInputProps(name)}
    />
  )
}
