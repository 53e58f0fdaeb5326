import { Autocomplete, Select, TextInput } from '@mantine/core'
import type { ScriptParameter } from '@muster/contract/api/scripts'
import {
  findValueProblem,
  keyOfReference,
  keyReference,
  readParameters,
  writeParameters,
} from '@muster/rules/agents/script-parameters'
import { useQuery } from '@tanstack/react-query'
import { useMay } from '../../app/api/queries.ts'
import { ListField } from '../../ui/inputs/ListField.tsx'
import { keyStoreQuery } from '../keystore/KeyDialog.tsx'
import { checkVariable } from './script-form.ts'

interface EnvironmentFieldsProps {
  /** The parameters that the script declares. */
  parameters: readonly ScriptParameter[] | undefined
  /** `NAME=value`, including the values of parameters. */
  values: readonly string[]
  /** Shown at the list of the other variables. */
  description?: string
  onChange: (values: string[]) => void
}

const NO_PARAMETERS: readonly ScriptParameter[] = []

/** A field for each parameter of a script, and a list of its other environment variables. */
export function EnvironmentFields({
  parameters = NO_PARAMETERS,
  values,
  description,
  onChange,
}: EnvironmentFieldsProps) {
  const call = readParameters(parameters, values)
  return (
    <>
      {parameters.map((parameter) => (
        <ParameterField
          key={parameter.name}
          parameter={parameter}
          value={call.values.get(parameter.name) ?? ''}
          onChange={(value) =>
            onChange(
              writeParameters(parameters, {
                values: new Map(call.values).set(parameter.name, value),
                others: call.others,
              }),
            )
          }
        />
      ))}
      <ListField
        label="Environment variables"
        noun="variable"
        {...(description !== undefined && { description })}
        placeholder="NAME=value"
        values={call.others}
        check={checkVariable}
        onChange={(others) => onChange(writeParameters(parameters, { values: call.values, others }))}
      />
    </>
  )
}

interface ParameterFieldProps {
  parameter: ScriptParameter
  value: string
  onChange: (value: string) => void
}

function ParameterField({ parameter, value, onChange }: ParameterFieldProps) {
  const { name, type, required, choices } = parameter
  const isMissing = value === '' && parameter.default === '' && required
  const field = {
    label: name,
    description: parameter.description || undefined,
    withAsterisk: required,
    error: value === '' ? undefined : findValueProblem(parameter, value),
    placeholder: parameter.default === '' ? (isMissing ? 'Needed' : 'None') : parameter.default,
  }
  if (type === 'boolean' || type === 'choice') {
    const data =
      type === 'choice'
        ? [...choices]
        : [
            { value: 'true', label: 'Yes' },
            { value: 'false', label: 'No' },
          ]
    return (
      <Select
        {...field}
        data={data}
        clearable={!required}
        allowDeselect={false}
        value={value === '' ? null : value}
        onChange={(chosen) => onChange(chosen ?? '')}
      />
    )
  }
  if (type === 'secret')
    return (
      <SecretField {...field} value={keyOfReference(value)} onChange={(key) => onChange(keyReference(key))} />
    )
  return (
    <TextInput
      {...field}
      maxLength={5000}
      {...(type === 'number' && { inputMode: 'decimal' as const })}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      autoComplete="off"
      spellCheck={false}
    />
  )
}

interface SecretFieldProps {
  label: string
  description: string | undefined
  withAsterisk: boolean
  error: string | undefined
  /** The name of a key. */
  value: string
  onChange: (key: string) => void
}

/** A key of the key store. Users who may not list the keys write its name. */
function SecretField({ description, ...field }: SecretFieldProps) {
  const mayList = useMay('can_view_global_keystore')
  const { data: keys = [] } = useQuery({ ...keyStoreQuery, enabled: mayList })
  return (
    <Autocomplete
      {...field}
      description={description ?? 'A key of the key store'}
      placeholder="Name of the key"
      data={keys.map(({ name }) => name)}
      maxLength={200}
    />
  )
}
