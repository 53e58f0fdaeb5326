import { Checkbox, Group, NumberInput, Select, Stack, TextInput } from '@mantine/core'
import '@mantine/core/styles/NumberInput.css'
import type { UseFormReturnType } from '@mantine/form'
import type { PlaceRemoteAccess } from '@muster/contract/api/remote-access'
import { WEEKDAYS } from '../../maintenance/schedule-words.ts'
import { type AccessForm, accessChoices, type PlaceLevel } from './access-form.ts'

const OPENS = 'Where nobody can be asked (no X11 desktop, no zenity, kdialog or xmessage), it is opened.'
/** What happens where there is nobody. */
const NOBODY: Record<string, string> = {
  off: '',
  ask: OPENS,
  ask_allow: OPENS,
  require: 'Where nobody can be asked (no X11 desktop, no zenity, kdialog or xmessage), it is not opened.',
}

interface AccessFieldsProps {
  form: UseFormReturnType<AccessForm>
  inherited: PlaceRemoteAccess['inherited']
  level: PlaceLevel
}

export function AccessFields({ form, inherited, level }: AccessFieldsProps) {
  const choices = accessChoices(inherited, level)
  const isTop = level === 'default'
  const { hours } = form.values
  return (
    <Stack gap="md">
      <Select
        label="Remote tools"
        description="Terminal, desktop, files, logs, and changing processes and services. Commands and scripts are not meant."
        data={choices.forbidden}
        allowDeselect={false}
        data-autofocus
        {...form.getInputProps('forbidden')}
      />
      <Select
        label="Hours"
        description="By the clock and the time zone of each machine. What is open ends with them."
        data={choices.hours}
        allowDeselect={false}
        {...form.getInputProps('hours')}
      />
      {hours === 'hours' && (
        <>
          <Checkbox.Group label="On" {...form.getInputProps('weekdays')}>
            <Group gap="sm" mt="xs">
              {WEEKDAYS.map(({ value, label }) => (
                <Checkbox key={value} value={value} label={label} size="xs" />
              ))}
            </Group>
          </Checkbox.Group>
          <Group gap="md" grow align="flex-start">
            <TextInput type="time" label="From" {...form.getInputProps('from')} />
            <TextInput
              type="time"
              label="To"
              description={form.values.to < form.values.from ? 'Of the next day' : undefined}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              {...form.getInputProps('to')}
            />
          </Group>
        </>
      )}
      <Select
        label="Person at the machine"
        description={`Before a terminal or the desktop is opened. ${NOBODY[form.values.consent] ?? NOBODY[inherited.consent]}`}
        data={choices.consent}
        allowDeselect={false}
        {...form.getInputProps('consent')}
      />
      <NumberInput
        label="Time to answer"
        description="Seconds, from 5 to 120"
        placeholder={`${isTop ? 'Not set' : 'As above'}: ${inherited.consent_seconds}`}
        allowDecimal={false}
        clampBehavior="none"
        {...form.getInputProps('consent_seconds')}
      />
      <Select
        label="Note with the technician's name"
        description="To the person at the machine, for as long as a terminal or the desktop is open."
        data={choices.banner}
        allowDeselect={false}
        {...form.getInputProps('banner')}
      />
      <Select
        label="Reason"
        description="Whoever opens a terminal, the desktop or VNC says why. It stands with the session, in the audit log and in the question to the person at the machine."
        data={choices.ask_purpose}
        allowDeselect={false}
        {...form.getInputProps('ask_purpose')}
      />
      <Select
        label="Terminals recorded"
        description="Whoever opens one is told. Servers are the machines that are monitored as such."
        data={choices.record_terminals}
        allowDeselect={false}
        {...form.getInputProps('record_terminals')}
      />
      <Select
        label="Desktops recorded"
        description="Take Control and VNC. The person at the machine is told in the question and by a note, also where no note is wanted otherwise."
        data={choices.record_desktops}
        allowDeselect={false}
        {...form.getInputProps('record_desktops')}
      />
    </Stack>
  )
}
