import '@mantine/core/styles/NumberInput.css'
import '@mantine/core/styles/SimpleGrid.css'
import { Checkbox, NumberInput, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { DNS_RECORD_TYPES } from '@muster/contract/checks/server-checks'
import { ThresholdPreview } from '../ThresholdPreview.tsx'
import { isSecure } from '../check-form.ts'
import { FIELD_LABELS } from '../field-labels.ts'
import { Choice, type FieldsProps, MachineText, SeverityChoice, WholeNumber } from './FieldParts.tsx'
import { NameField } from './EventLogFields.tsx'
import { ThresholdFields } from './ThresholdFields.tsx'

const METHODS = [
  { value: 'GET', label: 'GET' },
  { value: 'HEAD', label: 'HEAD, without the body' },
]
const RECORD_TYPES = DNS_RECORD_TYPES.map((name) => ({ value: name, label: name }))
const SWITCHES = ['follow_redirects', 'ignore_certificate'] as const

/** A web page, requested by the server. */
export function HttpFields(props: FieldsProps) {
  const { form } = props
  const { method, ignore_certificate, url } = form.values
  return (
    <>
      <NameField form={form} />
      <MachineText
        form={form}
        name="url"
        description="Requested by the Muster server, not by the machine"
        placeholder="https://www.example.org/health"
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        <Choice form={form} name="method" choices={METHODS} />
        <TextInput
          label={FIELD_LABELS.expected_status}
          description="Empty = 200 to 399."
          placeholder="200, 204"
          autoComplete="off"
          {...form.getInputProps('expected_status')}
        />
      </SimpleGrid>
      {method !== 'HEAD' && (
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
          <MachineText form={form} name="text_present" description="Exact text; empty = any" />
          <MachineText form={form} name="text_absent" description="Exact text; empty = any" />
        </SimpleGrid>
      )}
      <AnswerTime {...props} />
      <Stack gap="sm">
        {SWITCHES.map((name) => (
          <Checkbox
            key={name}
            label={FIELD_LABELS[name]}
            {...form.getInputProps(name, { type: 'checkbox' })}
          />
        ))}
      </Stack>
      {isSecure(url) && ignore_certificate !== true && (
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
          <CertificateDays form={form} name="cert_warning_days" word="Warning" />
          <CertificateDays form={form} name="cert_error_days" word="Error" />
        </SimpleGrid>
      )}
      <SeverityChoice form={form} />
    </>
  )
}

/** An open port, reached from the server. */
export function TcpFields(props: FieldsProps) {
  const { form } = props
  return (
    <>
      <NameField form={form} />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        <MachineText
          form={form}
          name="host"
          description="Reached from the Muster server, not from the machine"
          placeholder="mail.example.org"
        />
        <WholeNumber form={form} name="port" description="From 1 to 65535." />
      </SimpleGrid>
      <AnswerTime {...props} />
      <SeverityChoice form={form} />
    </>
  )
}

/** DNS responses, requested by the server. */
export function DnsFields({ form }: FieldsProps) {
  return (
    <>
      <NameField form={form} />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        <MachineText form={form} name="record_name" placeholder="www.example.org" />
        <Choice form={form} name="record_type" choices={RECORD_TYPES} />
      </SimpleGrid>
      <MachineText
        form={form}
        name="expected_value"
        description={
          form.values.record_type === 'TXT'
            ? 'Part of one of the texts; empty = any'
            : 'One of the answers; empty = any'
        }
      />
      <MachineText
        form={form}
        name="resolver"
        description="Address of a name server; empty = the Muster server's own"
        placeholder="192.0.2.53"
      />
      <SeverityChoice form={form} />
    </>
  )
}

function AnswerTime(props: FieldsProps) {
  return (
    <>
      <ThresholdFields {...props} unit="ms" reverse={false} />
      <ThresholdPreview {...props} />
    </>
  )
}

interface CertificateDaysProps extends Pick<FieldsProps, 'form'> {
  name: 'cert_warning_days' | 'cert_error_days'
  word: string
}

function CertificateDays({ form, name, word }: CertificateDaysProps) {
  return (
    <NumberInput
      label={FIELD_LABELS[name]}
      description={`${word} below this number of days`}
      placeholder="Off"
      suffix=" d"
      min={0}
      allowDecimal={false}
      clampBehavior="none"
      {...form.getInputProps(name)}
      // The error of both together is shown at the first.
      onBlur={() => {
        form.validateField('cert_warning_days')
        form.validateField('cert_error_days')
      }}
    />
  )
}
