import { SimpleGrid } from '@mantine/core'
import '@mantine/core/styles/SimpleGrid.css'
import type { UseFormReturnType } from '@mantine/form'
import { formatDuration } from '@muster/rules/text/units'
import type { CheckForm } from '../check-form.ts'
import { WholeNumber } from './FieldParts.tsx'
import type { CheckPlace } from './fields-props.ts'

interface ScheduleFieldsProps {
  agent: CheckPlace
  form: UseFormReturnType<CheckForm>
}

/** How often a check runs, and how often it must fail before it counts. */
export function ScheduleFields({ agent, form }: ScheduleFieldsProps) {
  const usual =
    agent.check_interval === null
      ? '0 = as usual on each machine.'
      : `0 = as usual on this machine, every ${formatDuration(agent.check_interval)}.`
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
      <WholeNumber form={form} name="run_interval" description={usual} suffix=" s" />
      <WholeNumber form={form} name="fails_b4_alert" description="From 1 to 10." />
    </SimpleGrid>
  )
}
