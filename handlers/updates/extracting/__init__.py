"""What documents are made of: sentences, kinds of sites, copies, orders to readers. Pure."""
