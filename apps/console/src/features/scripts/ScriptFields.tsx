import { Autocomplete, Checkbox, Group, NumberInput, Select, Stack, TextInput, Textarea } from '@mantine/core'
import '@mantine/core/styles/NumberInput.css'
import type { UseFormReturnType } from '@mantine/form'
import { listScripts } from '@muster/contract/api/scripts'
import { Platform } from '@muster/contract/fields'
import { platformName } from '@muster/rules/platform-name'
import { useQuery } from '@tanstack/react-query'
import { query } from '../../app/api.ts'
import { ListField } from '../../ui/ListField.tsx'
import { checkVariable } from '../history/run-form.ts'
import classes from './ScriptsDialog.module.css'
import { SHELLS, type ScriptForm } from './script-form.ts'

/** Everything of a script but its code. */
export function ScriptFields({ form }: { form: UseFormReturnType<ScriptForm> }) {
  const { data: scripts = [] } = useQuery(query(listScripts, { query: {} }))
  const categories = [...new Set(scripts.map(({ category }) => category))].filter((name) => name !== '')
  const { args, env_vars } = form.values
  return (
    <Stack gap="md" className={classes.fields ?? ''}>
      <TextInput label="Name" maxLength={255} data-autofocus {...form.getInputProps('name')} />
      <Textarea label="Description" autosize minRows={2} maxRows={6} {...form.getInputProps('description')} />
      <Group grow align="flex-start" gap="md">
        <Select label="Shell" data={SHELLS} allowDeselect={false} {...form.getInputProps('shell')} />
        <NumberInput
          label="Time limit"
          suffix=" s"
          allowDecimal={false}
          clampBehavior="none"
          {...form.getInputProps('default_timeout')}
        />
      </Group>
      <Autocomplete
        label="Category"
        data={categories.toSorted()}
        maxLength={255}
        {...form.getInputProps('category')}
      />
      <Checkbox.Group
        label="Platforms"
        description="None ticked: all of them."
        {...form.getInputProps('supported_platforms')}
      >
        <Group mt={4}>
          {Platform.options.map((platform) => (
            <Checkbox key={platform} value={platform} label={platformName(platform)} />
          ))}
        </Group>
      </Checkbox.Group>
      <ListField
        label="Arguments"
        noun="argument"
        values={args}
        onChange={(values) => form.setFieldValue('args', values)}
      />
      <ListField
        label="Environment variables"
        noun="variable"
        placeholder="NAME=value"
        values={env_vars}
        check={checkVariable}
        onChange={(values) => form.setFieldValue('env_vars', values)}
      />
      <Textarea
        label="How to use it"
        description="Shown where the script is run."
        autosize
        minRows={2}
        maxRows={6}
        {...form.getInputProps('syntax')}
      />
      <Checkbox
        label="Run as the user who is logged in"
        {...form.getInputProps('run_as_user', { type: 'checkbox' })}
      />
    </Stack>
  )
}
