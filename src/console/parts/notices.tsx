// Where toasts appear. Apart from `toast.tsx`, which every page has: nothing of it is needed for the first paint.
import { Notifications } from "@mantine/notifications";

export default function Notices() {
  return <Notifications position="bottom-right" limit={4} containerWidth={380} />;
}
