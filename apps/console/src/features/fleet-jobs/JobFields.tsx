import { Checkbox, NumberInput, Radio, Select, Textarea, TextInput } from '@mantine/core'
import '@mantine/core/styles/NumberInput.css'
import '@mantine/core/styles/Radio.css'
import { listClients } from '@muster/contract/api/clients'
import { listPackageFiles } from '@muster/contract/api/package-files'
import { listScripts } from '@muster/contract/api/scripts'
import { completeParameters } from '@muster/rules/agents/script-parameters'
import { useQuery } from '@tanstack/react-query'
import { query } from '../../app/api/api.ts'
import { MachineSearchField } from '../agents/MachineSearch.tsx'
import { filterSites, groupSites } from '../clients/site-choices.ts'
import { checkDelay } from '../power/warning-form.ts'
import { WarningFields } from '../power/WarningFields.tsx'
import { groupScripts, shellsOf } from '../runs/run-form.ts'
import { EnvironmentFields } from '../scripts/EnvironmentFields.tsx'
import { ArgumentsField } from '../scripts/ScriptFieldset.tsx'
import { tagsQuery } from '../tags/tags-query.ts'
import { isChange } from './change-form.ts'
import { ChangeFields } from './ChangeFields.tsx'
import {
  ACTIONS,
  type ActionName,
  isPackageAction,
  isWarned,
  type JobForm,
  type TargetKind,
} from './job-form.ts'
import { countMachines } from './job-labels.ts'
import { RolloutFields } from './RolloutFields.tsx'
import { ScriptOutputFields } from './ScriptOutputFields.tsx'

interface FieldsProps {
  form: JobForm
  onChange: (values: Partial<JobForm>) => void
}

interface TargetFieldsProps extends FieldsProps {
  checked: number
  /** Follows the number of checked machines. */
  checkedLabel: string
}

/** The action of a job, its machines and its waves. */
export function JobFields(props: TargetFieldsProps) {
  return (
    <>
      <TargetFields {...props} />
      <ActionFields {...props} />
      <RolloutFields {...props} />
    </>
  )
}

function TargetFields({ form, checked, checkedLabel, onChange }: TargetFieldsProps) {
  const { data: tags = [] } = useQuery({ ...tagsQuery, enabled: form.target === 'tag' })
  const { data: clients = [] } = useQuery({
    ...query(listClients, { query: {} }),
    enabled: form.target === 'client' || form.target === 'site',
  })
  return (
    <Radio.Group
      label="Machines"
      value={form.target}
      onChange={(target) => onChange({ target: target as TargetKind })}
    >
      <div className="stack">
        {checked > 0 && <Radio value="checked" label={`${countMachines(checked)} ${checkedLabel}`} />}
        <Radio value="search" label="All that match a search" />
        {form.target === 'search' && (
          <MachineSearchField
            label="Search for machines"
            text={form.search}
            onChange={(search) => onChange({ search })}
          />
        )}
        <Radio value="client" label="All of a client" />
        {form.target === 'client' && (
          <Select
            aria-label="Client"
            placeholder="Choose a client"
            data={clients.map(({ id, name, agent_count }) => ({
              value: `${id}`,
              label: `${name} (${countMachines(agent_count)})`,
            }))}
            searchable
            allowDeselect={false}
            nothingFoundMessage="No client matches."
            value={form.client}
            onChange={(client) => onChange({ client })}
          />
        )}
        <Radio value="site" label="All of a site" />
        {form.target === 'site' && (
          <Select
            aria-label="Site"
            placeholder="Choose a site"
            data={groupSites(clients, new Set())}
            filter={filterSites}
            searchable
            allowDeselect={false}
            nothingFoundMessage="No site matches."
            value={form.site}
            onChange={(site) => onChange({ site })}
          />
        )}
        <Radio value="tag" label="All with a tag" />
        {form.target === 'tag' && (
          <Select
            aria-label="Tag"
            placeholder="Choose a tag"
            data={tags.map(({ id, name, agent_count }) => ({
              value: `${id}`,
              label: `${name} (${countMachines(agent_count)})`,
            }))}
            searchable
            allowDeselect={false}
            nothingFoundMessage="No tag matches."
            value={form.tag}
            onChange={(tag) => onChange({ tag })}
          />
        )}
        <Radio value="all" label="All machines" />
      </div>
    </Radio.Group>
  )
}

function ActionFields({ form, onChange }: FieldsProps) {
  const { data: scripts } = useQuery({
    ...query(listScripts, { query: {} }),
    enabled: form.action === 'script',
  })
  const { data: files } = useQuery({
    ...query(listPackageFiles, {}),
    enabled: form.action === 'package_file',
  })
  const script = scripts?.find(({ id }) => `${id}` === form.script)
  return (
    <>
      <Select
        label="Action"
        data={[...ACTIONS]}
        allowDeselect={false}
        value={form.action}
        onChange={(action) => action !== null && onChange({ action: action as ActionName })}
      />
      {isChange(form.action) && (
        <ChangeFields
          action={form.action}
          form={form.changes}
          onChange={(values) => onChange({ changes: { ...form.changes, ...values } })}
        />
      )}
      {form.action === 'script' && (
        <>
          <Select
            label="Script"
            placeholder="Choose a script"
            data={groupScripts(scripts ?? [])}
            searchable
            allowDeselect={false}
            value={form.script}
            description={script?.description || undefined}
            onChange={(id) => {
              const chosen = scripts?.find((one) => `${one.id}` === id)
              const { env_vars } = completeParameters(chosen?.parameters ?? [], chosen?.env_vars ?? [])
              onChange({ script: id, args: chosen?.args ?? [], variables: env_vars })
            }}
          />
          {script !== undefined && (
            <>
              <ArgumentsField
                description={script.syntax}
                values={form.args}
                onChange={(args) => onChange({ args })}
              />
              <EnvironmentFields
                parameters={script.parameters}
                values={form.variables}
                onChange={(variables) => onChange({ variables })}
              />
              <ScriptOutputFields form={form} onChange={onChange} />
            </>
          )}
        </>
      )}
      {form.action === 'command' && (
        <>
          <Textarea
            label="Command"
            autosize
            minRows={2}
            maxRows={10}
            maxLength={100_000}
            classNames={{ input: 'mono' }}
            value={form.cmd}
            onChange={({ currentTarget }) => onChange({ cmd: currentTarget.value })}
            autoComplete="off"
            spellCheck={false}
          />
          <Select
            label="Shell"
            data={shellsOf(null)}
            allowDeselect={false}
            value={form.shell}
            onChange={(shell) => shell !== null && onChange({ shell })}
          />
          {form.shell === 'custom' && (
            <TextInput
              label="Shell path"
              placeholder="/usr/bin/zsh"
              classNames={{ input: 'mono' }}
              maxLength={1000}
              value={form.customShell}
              onChange={({ currentTarget }) => onChange({ customShell: currentTarget.value })}
              autoComplete="off"
              spellCheck={false}
            />
          )}
          <Checkbox
            label="Run as the signed-in user"
            description="The command fails where no user is signed in."
            checked={form.asUser}
            onChange={({ currentTarget }) => onChange({ asUser: currentTarget.checked })}
          />
        </>
      )}
      {isWarned(form.action) && (
        <>
          <WarningFields
            form={form.warning}
            error={checkDelay(form.warning.delay)}
            disabled={form.powerNow}
            onChange={(change) => onChange({ warning: { ...form.warning, ...change } })}
          />
          <Checkbox
            label="At once, without a warning"
            description="Unsaved work is lost."
            checked={form.powerNow}
            onChange={({ currentTarget }) => onChange({ powerNow: currentTarget.checked })}
          />
        </>
      )}
      {form.action === 'package_file' && (
        <Select
          label="Package file"
          description="Upload files on the page Software"
          placeholder="Choose a package file"
          data={(files ?? [])
            .filter(({ sha256, format }) => sha256 !== null && format !== 'other')
            .map(({ id, name, format }) => ({ value: `${id}`, label: `${name} (${format.toUpperCase()})` }))}
          searchable
          allowDeselect={false}
          nothingFoundMessage="No matching package file"
          value={form.packageFile}
          onChange={(packageFile) => onChange({ packageFile })}
        />
      )}
      {isPackageAction(form.action) && (
        <TextInput
          label="Package"
          description="Its name in the package manager; further names after a comma, for machines that have another"
          placeholder="firefox, Mozilla.Firefox"
          classNames={{ input: 'mono' }}
          maxLength={500}
          value={form.packages}
          onChange={({ currentTarget }) => onChange({ packages: currentTarget.value })}
          autoComplete="off"
          spellCheck={false}
        />
      )}
      {(form.action === 'script' || form.action === 'command') && (
        <NumberInput
          label="Time limit"
          suffix=" s"
          placeholder={`${script?.default_timeout ?? 30} s`}
          min={1}
          max={86_400}
          value={form.timeout}
          onChange={(timeout) => onChange({ timeout })}
        />
      )}
    </>
  )
}
