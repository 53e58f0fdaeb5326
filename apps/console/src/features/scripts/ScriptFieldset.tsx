import '@mantine/core/styles/NumberInput.css'
import {
  Autocomplete,
  Button,
  Checkbox,
  NumberInput,
  Select,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core'
import { ScriptShell } from '@muster/contract/api/scripts'
import { platformName } from '@muster/rules/agents/available-actions'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { findVariables } from '@muster/rules/agents/script-variables'
import { useMay } from '../../app/api/queries.ts'
import { ListField } from '../../ui/inputs/ListField.tsx'
import { Link } from '@tanstack/react-router'
import { EmptyState } from '../../ui/layout/States.tsx'
import { ParametersField } from './ParametersField.tsx'
import { PLATFORMS, SHELL_LABELS } from './script-labels.ts'
import { allScriptsQuery } from './all-scripts-query.ts'
import classes from './ScriptEditor.module.css'
import { checkVariable, readShell, type ScriptFields } from './script-form.ts'

type FieldName = keyof ScriptFields & string

interface ScriptFieldsetProps {
  fields: ScriptFields
  /** Errors by field; shown once a field was left. */
  errors: Partial<Record<FieldName, string>>
  /** Errors of the server; cleared when the field changes. */
  serverErrors: Record<string, string>
  showAll: boolean
  readOnly: boolean
  /** The name takes the initial focus of the dialog. */
  autoFocus: boolean
  onChange: (change: Partial<ScriptFields>) => void
}

/** All of a script except its code. */
export function ScriptFieldset(props: ScriptFieldsetProps) {
  const { fields, errors, serverErrors, showAll, readOnly, autoFocus, onChange } = props
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  /** Values that the server's errors are about. */
  const [refused, setRefused] = useState({ errors: serverErrors, fields })
  if (JSON.stringify(refused.errors) !== JSON.stringify(serverErrors)) {
    setRefused({ errors: serverErrors, fields })
  }
  const errorOf = (name: FieldName) => {
    if ((showAll || left.has(name)) && errors[name] !== undefined) return errors[name]
    return refused.fields[name] === fields[name] ? refused.errors[name] : undefined
  }
  const onBlur = (name: FieldName) => () => setLeft(new Set([...left, name]))
  const categories = useCategories()
  return (
    <fieldset disabled={readOnly} className={classes.fieldset} aria-label="Script settings">
      <Stack gap="md">
        <TextInput
          label="Name"
          maxLength={255}
          value={fields.name}
          error={errorOf('name')}
          onBlur={onBlur('name')}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
          {...(autoFocus ? { 'data-autofocus': true } : {})}
        />
        <Textarea
          label="Description"
          autosize
          minRows={1}
          maxRows={5}
          maxLength={10_000}
          value={fields.description}
          onChange={(event) => onChange({ description: event.currentTarget.value })}
        />
        <div className={classes.pair}>
          <Select
            label="Shell"
            data={ScriptShell.options.map((value) => ({ value, label: SHELL_LABELS[value] }))}
            allowDeselect={false}
            value={fields.shell}
            onChange={(text) => onChange({ shell: readShell(text) ?? fields.shell })}
          />
          <NumberInput
            label="Time limit"
            suffix=" s"
            min={5}
            max={86_400}
            allowDecimal={false}
            allowNegative={false}
            clampBehavior="none"
            value={fields.default_timeout}
            error={errorOf('default_timeout')}
            onBlur={onBlur('default_timeout')}
            onChange={(default_timeout) => onChange({ default_timeout })}
          />
        </div>
        <Checkbox.Group
          label="Platforms"
          description="None = all"
          value={fields.supported_platforms}
          onChange={(values) =>
            onChange({ supported_platforms: PLATFORMS.filter((platform) => values.includes(platform)) })
          }
        >
          <div className={classes.line}>
            {PLATFORMS.map((platform) => (
              <Checkbox key={platform} size="xs" value={platform} label={platformName(platform)} />
            ))}
          </div>
        </Checkbox.Group>
        <Autocomplete
          label="Category"
          placeholder="Unassigned"
          data={categories}
          maxLength={255}
          value={fields.category}
          onChange={(category) => onChange({ category })}
        />
        <ArgumentsField
          description="One per line; Enter adds a line"
          values={fields.args}
          onChange={(args) => onChange({ args })}
        />
        <ListField
          label="Environment variables"
          noun="variable"
          placeholder="NAME=value"
          values={fields.env_vars}
          check={checkVariable}
          onChange={(env_vars) => onChange({ env_vars })}
        />
        <ParametersField
          values={fields.parameters}
          error={errorOf('parameters')}
          onChange={(parameters) => onChange({ parameters })}
        />
        <Textarea
          label="Syntax help"
          description="Shown when the script is run"
          autosize
          minRows={2}
          maxRows={8}
          maxLength={100_000}
          classNames={{ input: 'mono' }}
          value={fields.syntax}
          onChange={(event) => onChange({ syntax: event.currentTarget.value })}
        />
        <Checkbox
          label="Run as the signed-in user"
          checked={fields.run_as_user}
          onChange={(event) => onChange({ run_as_user: event.currentTarget.checked })}
        />
      </Stack>
    </fieldset>
  )
}

function useCategories(): string[] {
  const mayList = useMay('can_list_scripts')
  const { data: scripts = [] } = useQuery({ ...allScriptsQuery, enabled: mayList })
  return [...new Set(scripts.map(({ category }) => category).filter(Boolean))].toSorted((a, b) =>
    a.localeCompare(b),
  )
}

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

/** Shown in place of a script select without scripts: a link to the library. */
export function NoScripts() {
  const mayManage = useMay('can_manage_scripts')
  return (
    <EmptyState message="No scripts yet.">
      {mayManage && (
        <Button variant="default" component={Link} to="/scripts">
          Show script library
        </Button>
      )}
    </EmptyState>
  )
}
