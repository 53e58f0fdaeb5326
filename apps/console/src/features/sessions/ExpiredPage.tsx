import { MessagePage } from '../../app/MessagePage.tsx'

export function ExpiredPage() {
  return <MessagePage title="">{null}</MessagePage>
}
