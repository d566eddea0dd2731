// What waits in several sessions, decided together; and what other rules would have decided.

import { journey } from "./journey.mjs";

journey("similar requests of two sessions are decided together", {}, async (person) => {
  const { page } = person;
  await person.say("run touch one.txt");
  await person.asked();
  await page.getByRole("button", { name: "New session" }).click();
  await person.request.waitFor({ state: "detached" });
  await person.say("run touch two.txt");
  await person.asked();
  await page.getByRole("button", { name: /^Inbox: 2 requests/ }).click();
  const group = page.getByTestId("inbox-group").first();
  await page.locator("[data-testid=inbox-group][data-armed]").waitFor();
  await group.getByRole("button", { name: "Allow 2 once" }).click();
  await person.fileBecomes("one.txt", "");
  await person.fileBecomes("two.txt", "");
  await page.getByText("Nothing waits for you.").waitFor();
});
