import { Link2 } from "lucide-react";
import { type JSX, useState } from "react";
import { Menu, MenuItem, MenuTrigger, Popover } from "react-aria-components";
import { IconButton } from "../../shared/Button.tsx";
import menu from "../../shared/Menu.module.css";
import { SafeText } from "../../shared/SafeText.tsx";
import type { Place } from "../../text/places.ts";
import { nameOf } from "./links.ts";
import type { Screen } from "./screen.ts";
import styles from "./Terminal.module.css";

/** The files and addresses that were printed last: what a mouse opens in the text, for the keyboard. */
export function LinkMenu({ screen }: { screen: Screen | null }): JSX.Element {
  const [places, setPlaces] = useState<Place[] | null>(null);
  const look = async (open: boolean) => {
    setPlaces(null);
    if (open) {
      setPlaces((await screen?.places()) ?? []);
    }
  };
  return (
    <MenuTrigger onOpenChange={(open) => void look(open)}>
      <IconButton label="Files and links in the output">
        <Link2 size={14} />
      </IconButton>
      <Popover className={`${menu.popover} ${styles.links}`} placement="bottom end">
        <Menu
          className={menu.menu ?? ""}
          aria-label="Files and links in the output"
          renderEmptyState={() => (
            <p className={styles.noLinks}>
              {places === null ? "Looking…" : "No file of the project and no link was printed."}
            </p>
          )}
          onAction={(key) => {
            const place = places?.[Number(key)];
            if (place !== undefined) {
              screen?.open(place);
            }
          }}
        >
          {(places ?? []).map((place, index) => (
            <MenuItem
              key={nameOf(place)}
              id={String(index)}
              className={`${menu.item} ${styles.linkItem}`}
              textValue={nameOf(place)}
            >
              <SafeText text={nameOf(place)} />
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
