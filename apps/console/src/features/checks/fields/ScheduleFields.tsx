import '@mantine/core/styles/SimpleGrid.css'
import { SimpleGrid } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { formatDuration } from '@muster/rules/text/units'
import type { CheckForm } from '../check-form.ts'
import { type CheckPlace, WholeNumber } from './FieldParts.tsx'

interface ScheduleFieldsProps {
  agent: CheckPlace
  form: UseFormReturnType<CheckForm>
}

/** The interval of a check, and the number of failures before an alert. */
export function ScheduleFields({ agent, form }: ScheduleFieldsProps) {
  const usual =
    agent.check_interval === null
      ? '0 = own interval of each machine'
      : `0 = interval of this machine, every ${formatDuration(agent.check_interval)}`
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
      <WholeNumber form={form} name="run_interval" description={usual} suffix=" s" />
      <WholeNumber form={form} name="fails_b4_alert" description="From 1 to 10." />
    </SimpleGrid>
  )
}
